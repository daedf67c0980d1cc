/**
 * The rules for every HTTP server of Mandate: who may call, how much, how errors look, and what is measured. Services
 * add routes as plugins. All rules apply to them, because every hook is on the root instance before any plugin.
 */
import rateLimit from '@fastify/rate-limit';
import type { Logger, ReadinessCheck, Tracer } from '@mandate/runtime';
import { type Clock, sharedByRequests, systemClock } from '@mandate/runtime';
import { APPROVAL_ID_UNITS, type QuotasInForce, quotasInForce } from '@mandate/schemas';
import { type FastifyBaseLogger, fastify, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { KeyStore } from '../api-keys/key-store.ts';
import type { Metrics } from '../metrics.ts';
import { Throughputs } from '../throughput/throughputs.ts';
import { trackAllowedMethods } from './allowed-methods.ts';
import { answerProblems, sendProblem } from './answer-problems.ts';
import { addApiPage } from './api-page.ts';
import { authenticate } from './authenticate.ts';
import { boundAnswers } from './bound-answers.ts';
import { BoundBodies } from './bound-bodies.ts';
import { boundRequests } from './bound-requests.ts';
import { BoundSockets } from './bound-sockets.ts';
import type { BrowserSessions } from './browser-session.ts';
import { compressAnswers } from './compress-answers.ts';
import { answerConditionally } from './conditional-get.ts';
import { allowOrigins } from './cors.ts';
import { countCuts } from './count-cuts.ts';
import { addHealthRoutes } from './health-routes.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from './http-limits.ts';
import { createListener } from './http-listener.ts';
import { measureRequests } from './http-metrics.ts';
import { nameRequestsInHand } from './http-request-in-hand.ts';
import type { HttpServer } from './http-server-type.ts';
import { acceptJsonBodies } from './json-body.ts';
import { limitThroughput } from './limit-throughput.ts';
import { describeRoutes } from './openapi.ts';
import { addRequestContext, requestIdOf } from './request-context.ts';
import { requestFaults } from './request-faults.ts';
import { refuseUnsendableHeaders } from './sendable-headers.ts';
import { answerSocketFault } from './socket-faults.ts';
import { takeTurns, takeTurnsToArrive } from './take-turns.ts';
import { traceRequests } from './trace-requests.ts';
import { validateRequests } from './validate-requests.ts';
import { watchRoom } from './watch-room.ts';

export type HttpServerOptions = {
  /** The name of the service in /healthz and in the OpenAPI document. */
  service: string;
  version: string;
  log: Logger;
  metrics: Metrics;
  /** The store of keys. Null if no key is accepted. Then only public routes answer. */
  keys: KeyStore | null;
  readiness: () => Promise<readonly ReadinessCheck[]>;
  /** The tracer. Null or absent if there are no traces. */
  tracer?: Tracer | null;
  limits?: Partial<HttpLimits>;
  /**
   * Returns how much a tenant and each of its keys may write through this process. If absent, every tenant has the
   * default quotas.
   */
  quotas?: (tenant: string) => QuotasInForce;
  clock?: Clock;
  /** Origins of pages that may call from a browser. Default: none. */
  corsOrigins?: readonly string[];
  /** The sessions of browsers. Absent if a key is accepted only in a header. */
  sessions?: BrowserSessions;
  /** Addresses of trusted proxies. The server uses their x-forwarded-for header. Default: none. */
  trustedProxies?: readonly string[];
};

/**
 * The result of `createHttpServer`. Routes are plugins, and their `config` says who may call them (see
 * authenticate.ts).
 */
export async function buildHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { service, version, metrics, readiness } = options;
  const keys = options.keys && sharedByRequests(options.keys);
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const log: FastifyBaseLogger = options.log;
  const faults = requestFaults(log, metrics);
  const count = countCuts(metrics);
  const sockets = new BoundSockets(limits.sockets, count);
  const bodies = new BoundBodies(limits, count);

  const server: HttpServer = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    bodyLimit: limits.bodyBytes,
    serverFactory: (handle) => createListener(handle, limits, { faults, sockets }),
    forceCloseConnections: 'idle',
    // Off, because request-context.ts answers with a problem document while the server stops.
    return503OnClosing: false,
    routerOptions: { maxParamLength: APPROVAL_ID_UNITS },
    clientErrorHandler: (error, socket) => answerSocketFault(error, socket, log),
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validateRequests);
  server.setSerializerCompiler(serializerCompiler);

  const allowedMethods = trackAllowedMethods(server);
  answerProblems(server, allowedMethods);
  nameRequestsInHand(server);
  measureRequests(server, metrics);
  addRequestContext(server);
  traceRequests(server, options.tracer ?? null);
  await allowOrigins(server, options.corsOrigins ?? []);
  takeTurnsToArrive(server);
  await server.register(rateLimit, { global: false });
  const { sessions = null, clock = systemClock } = options;
  authenticate(server, { keys, limits, metrics, sockets, sessions, clock });
  limitThroughput(server, { throughputs: throughputsOf(options), metrics });
  const requests = boundRequests(server, limits.requests, count);
  bodies.watch(server);
  const answers = boundAnswers(server, limits, count);
  watchRoom(server, { limits, metrics, sockets, requests, bodies, answers, count });
  refuseUnsendableHeaders(server);
  takeTurns(server);
  acceptJsonBodies(server, bodies);
  await compressAnswers(server);
  answerConditionally(server);
  const description = await describeRoutes(server, { service, version });
  if (keys !== null) addApiPage(server, description);
  addHealthRoutes(server, {
    service,
    version,
    metrics,
    readiness,
    readinessTimeoutMs: limits.readinessTimeoutMs,
  });
  return server;
}

function throughputsOf({ quotas, clock = systemClock }: HttpServerOptions): Throughputs {
  const byDefault = quotasInForce();
  return new Throughputs({ quotas: quotas ?? (() => byDefault), clock });
}
