/**
 * @mandate/server: a service as a server. It opens the HTTP server of a service and its process: API keys, limits of
 * callers, logs, metrics, traces, and the same answers for the same faults in every service.
 *
 * A main.ts makes one call of `runService`. It names its settings and opens the parts of its service, one after
 * another. Settings, logs, metrics, the HTTP server, signals and the shutdown are the same for all services. `mandate
 * up` mounts several services on one server instead.
 *
 * What it promises: a route that declares no scope is closed. A secret never reaches a log. A stopped process leaves
 * nothing open. A caller always learns what went wrong and what to do, and nothing about the inside. No caller uses
 * up the capacity of another caller.
 *
 * It is the only package that depends on fastify, pino, prom-client and OpenTelemetry. Packages below it write log
 * lines and spans through ports of @mandate/runtime, so a program that embeds the ledger or the log loads none of
 * these.
 */

export { speaksFor } from './api-keys/agent-globs.ts';
export { isExpired, issueApiKey, issueRoleKey, isValidKey } from './api-keys/api-key-record.ts';
export { DerivedKeys } from './api-keys/derived-keys.ts';
export { type FileKeyStore, fileKeyStore } from './api-keys/file-key-store.ts';
export { parseApiKey } from './api-keys/key-format.ts';
export { anyKeyStore, type KeyStore, keyStoreOf, memoryKeyStore } from './api-keys/key-store.ts';
export { keysInForce } from './api-keys/keys-in-force.ts';
export { keysWhileOpen } from './api-keys/keys-while-open.ts';
export { FairRoom, type Held, type Holder } from './fair-room.ts';
export { answerProblemsAs } from './http/answer-problems.ts';
export { callerOf, credentialOf, forbidden } from './http/authenticate.ts';
export { type BrowserSession, BrowserSessions, untilMs } from './http/browser-session.ts';
export { corsOrigins } from './http/cors.ts';
export { createHttpServer } from './http/create-http-server.ts';
export { headerText } from './http/header-text.ts';
export {
  DEFAULT_HTTP_LIMITS,
  type HttpLimits,
  maxSockets,
  requestsPerKeyPerSecond,
} from './http/http-limits.ts';
export { HttpProblem, type ProblemDocument, problemDocument } from './http/http-problem.ts';
export type { HttpServerOptions } from './http/http-server.ts';
export type { HttpReply, HttpRequest, HttpRoutes, HttpServer } from './http/http-server-type.ts';
export { idempotencyKeyOf } from './http/idempotency-key.ts';
export { readBody, takeRawBody } from './http/json-body.ts';
export { countAll, tooManyOf } from './http/limit-throughput.ts';
export { boundStreams } from './http/open-streams.ts';
export { nextCursor, pageCursor } from './http/page-cursor.ts';
export { notAsDescribed, problemOfError } from './http/problem-of-error.ts';
export { SealedCookie } from './http/sealed-cookie.ts';
export { serveHttp } from './http/serve-http.ts';
export { type Pages, servePages } from './http/serve-pages.ts';
export { laneOf } from './http/take-turns.ts';
export { jsonPointer } from './http/validate-requests.ts';
export { whenClosed } from './http/when-closed.ts';
export { boundedLabel, createMetrics, type Metrics } from './metrics.ts';
export { createLogger } from './pino-logger.ts';
export {
  apiSettings,
  type ProcessParts,
  runService,
  type ServiceContext,
  type ServiceParts,
  type ServiceSettings,
} from './run-service.ts';
export { Bucket } from './throughput/bucket.ts';
export { openTracer } from './tracing/open-tracer.ts';
export { openUpstreams, type Upstreams } from './upstream/send-upstream.ts';
