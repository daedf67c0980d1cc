/**
 * The types of Mandate's server. Services import them from here and not from fastify, so that only this package
 * depends on fastify.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyPluginOptions,
  FastifyReply,
  FastifyRequest,
  RouteGenericInterface,
} from 'fastify';
import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod';

export type HttpServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The routes of a service: a plugin for `server.register`. Its handlers get their types from zod schemas. */
export type HttpRoutes<Options extends FastifyPluginOptions = Record<never, never>> =
  FastifyPluginAsyncZod<Options>;

/** A request, for code that several routes share. A handler gets the type of its own route from its schemas. */
export type HttpRequest<Route extends RouteGenericInterface = RouteGenericInterface> = FastifyRequest<Route>;

/** The reply to a request, for code that several routes share. */
export type HttpReply = FastifyReply;
