/**
 * A page to try the interface on, at /docs: made of /openapi.json, open to everybody, with nothing from elsewhere. A
 * key that is put in under «Authorize» stays in the page, and is gone with it.
 *
 * It is a server of its own that never listens, built when first asked for: no start waits for it.
 */
import type { StaticDocumentSpec } from '@fastify/swagger';
import { outsideRequests } from '@mandate/runtime';
import { fastify } from 'fastify';
import type { HttpServer } from './http-server-type.ts';

/** The page runs its own scripts, asks its own server, and cannot be shown in a frame of another page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI styles some elements in place.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function addApiPage(server: HttpServer): void {
  let building: ReturnType<typeof buildPage> | null = null;
  server.addHook('onClose', async () => {
    const page = await building?.catch(() => null);
    await page?.close();
  });
  for (const path of ['/docs', '/docs/*']) {
    server.get(
      path,
      { config: { public: true, fixed: true }, schema: { hide: true } },
      async (request, reply) => {
        building ??= outsideRequests(() => buildPage(server)).catch((error) => {
          building = null;
          throw error;
        });
        const page = await building;
        const { statusCode, headers, rawPayload } = await page.inject(request.url);
        if (statusCode === 404) return reply.callNotFound();
        return reply
          .code(statusCode)
          .headers({
            'content-type': headers['content-type'],
            'content-security-policy': CONTENT_SECURITY_POLICY,
            ...(headers.location !== undefined && { location: headers.location }),
          })
          .send(rawPayload);
      },
    );
  }
}

async function buildPage(server: HttpServer) {
  const { default: swagger } = await import('@fastify/swagger');
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const page = fastify();
  // Typed for OpenAPI 3.0, handed on as it is.
  const specification = { document: server.swagger() } as StaticDocumentSpec;
  await page.register(swagger, { mode: 'static', specification });
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Mandate API' },
    uiConfig: {
      // Without the bar on top, which offers to load the documents of other hosts.
      layout: 'BaseLayout',
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      filter: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: -1,
    },
  });
  await page.ready();
  return page;
}
