/** What a server of Mandate is to the files that put its manners on it, and to the services that bring routes. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginOptions } from 'fastify';
import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod';

export type HttpServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The routes of a service: a plugin for `server.register`, whose handlers get their types from zod schemas. */
export type HttpRoutes<Options extends FastifyPluginOptions = Record<never, never>> =
  FastifyPluginAsyncZod<Options>;
