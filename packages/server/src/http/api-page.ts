/**
 * A page at /docs to try the interface. It is generated from /openapi.json, open to every caller, and loads nothing
 * from other hosts. A key that is entered under «Authorize» stays in the page, and is deleted when the page is
 * closed.
 *
 * The page has its own server, which never listens and is built at the first request. So no start waits for it.
 */
import type { StaticDocumentSpec } from '@fastify/swagger';
import { outsideRequests } from '@mandate/runtime';
import { fastify } from 'fastify';
import type { HttpServer } from './http-server-type.ts';

/** The page may run only its own scripts and ask only its own server. No other page may frame it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Inline styles are allowed, because Swagger UI uses them.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param description resolves to the content of /openapi.json */
export function addApiPage(server: HttpServer, description: () => Promise<object>): void {
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
        building ??= outsideRequests(() => buildPage(description)).catch((error) => {
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

async function buildPage(description: () => Promise<object>) {
  const { default: swagger } = await import('@fastify/swagger');
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const page = fastify();
  // The cast is needed because the type is for OpenAPI 3.0. The document itself is passed on unchanged.
  const specification = { document: await description() } as StaticDocumentSpec;
  await page.register(swagger, { mode: 'static', specification });
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Mandate API' },
    uiConfig: {
      // This layout has no top bar. The top bar would offer to load documents from other hosts.
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
