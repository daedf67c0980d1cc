import type { HttpServerOptions } from './http-server.ts';
import type { HttpServer } from './http-server-type.ts';

/**
 * Builds the server. `httpPart` makes it listen. Register routes as plugins (`HttpRoutes`): zod schemas validate and
 * document them, and `config` says who may call. The framework is loaded only here, because most commands need no
 * server.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { buildHttpServer } = await import('./http-server.ts');
  return buildHttpServer(options);
}
