/**
 * Serves the pages of a built web application. Each page is the same document: a script in it shows what its address
 * names. An address without a route gets this document too, with the status 404. Files are sent as they were compressed when they were built.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

const YEAR_S = 365 * 86_400;

export type Pages = {
  /** The folder with `index.html`, and with the files in `assets` that it loads. */
  folder: string;
  /** The addresses of the pages, as routes. */
  paths: readonly string[];
  /** The content security policy of the pages. */
  policy: string;
  /** Another content security policy for some files in `assets`, such as the script of a worker. Null for the others. */
  policyOf: (asset: string) => string | null;
};

export async function servePages(
  server: HttpServer,
  { folder, paths, policy, policyOf }: Pages,
): Promise<void> {
  const headers = { 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' };
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, public: true };
    route.schema = { ...route.schema, hide: true };
  });
  server.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  // Loaded only here, because most programs serve no pages.
  const { fastifyStatic } = await import('@fastify/static');
  await server.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    cacheControl: false,
    index: false,
    setHeaders: (reply, path) => {
      // The name of each file contains a hash of its content.
      reply.header('cache-control', `public, max-age=${YEAR_S}, immutable`);
      const own = policyOf(path);
      if (own !== null) reply.header('content-security-policy', own);
    },
  });
  server.unknownPage.show = async (reply) => {
    const document = await readFile(join(folder, 'index.html')).catch(() => Promise.reject(notBuilt()));
    return reply
      .code(404)
      .headers(headers)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(document);
  };
  for (const path of paths) {
    server.get(path, async (request, reply) => {
      // The router takes `GET *` for the path `/`.
      if (request.raw.url?.startsWith('/') !== true) return reply.callNotFound();
      if (!existsSync(join(folder, 'index.html'))) throw notBuilt();
      reply.header('cache-control', 'no-cache');
      return reply.sendFile('index.html', folder, { cacheControl: false });
    });
  }
}

function notBuilt(): HttpProblem {
  return new HttpProblem(404, 'NOT_BUILT', 'the pages of the console are not built', {
    remedy: 'In a clone, run `npm run setup`, then start the plane again.',
  });
}
