/**
 * What every process of Mandate needs and no domain knows: configuration from the environment, errors, logs,
 * metrics, time, an ordered life, API keys, and the manners of HTTP.
 *
 * A main.ts is one call of `runService`: it says which settings there are and opens the service's own parts, one after
 * another; settings, logs, metrics, the HTTP server, signals and the end are the same for all. Nothing here reads the
 * environment or the process by itself: it is given what it needs.
 *
 * What it promises: a misspelt setting never becomes a default; a secret never reaches a log; a stopped process
 * leaves nothing open; a route that declares nothing is closed; a caller always learns what went wrong and what to
 * do, and never what is inside.
 */

export { speaksFor } from './api-keys/agent-globs.ts';
export { isExpired, issueApiKey, issueRoleKey } from './api-keys/api-key-record.ts';
export { type FileKeyStore, fileKeyStore } from './api-keys/file-key-store.ts';
export { parseApiKey } from './api-keys/key-format.ts';
export { anyKeyStore, type KeyStore, keyStoreOf, memoryKeyStore } from './api-keys/key-store.ts';
export { keysWhileOpen } from './api-keys/keys-while-open.ts';
export {
  type Clock,
  type ClockJump,
  type ManualClock,
  manualClock,
  monotonic,
  systemClock,
} from './clock.ts';
export { backendsMustFit } from './config/backends/backends-must-fit.ts';
export { type ClickhouseSettings, clickhouseSettings } from './config/backends/clickhouse-settings.ts';
export { type KafkaSettings, kafkaSettings } from './config/backends/kafka-settings.ts';
export { type OtlpSettings, otlpSettings } from './config/backends/otlp-settings.ts';
export { type RedisSettings, redisSettings } from './config/backends/redis-settings.ts';
export { readSentinelUrl, type SentinelUrl } from './config/backends/sentinel-url.ts';
export { readTlsFiles, type TlsFiles, tlsRemedy } from './config/backends/tls-files.ts';
export { type ConfigRow, describeConfig } from './config/describe-config.ts';
export { CONFIG_PREFIX, loadConfig } from './config/load-config.ts';
export { privacySettings } from './config/privacy-settings.ts';
export { otherAreas } from './config/service-config.ts';
export { type DataFolder, dataFolder, makeDataFolder } from './data-folder.ts';
export { isMandateError, MandateError } from './errors.ts';
export { FairQueue, type Lane } from './fair-queue.ts';
export { FairRoom, type Held, type Holder } from './fair-room.ts';
export { type FollowedDocument, followDocument } from './followed-document.ts';
export { holdExclusively } from './hold-exclusively.ts';
export { callerOf, forbidden } from './http/authenticate.ts';
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
export { rawBody, readBody } from './http/json-body.ts';
export { countAll, tooManyOf } from './http/limit-throughput.ts';
export { boundStreams } from './http/open-streams.ts';
export { nextCursor, pageCursor } from './http/page-cursor.ts';
export { notAsDescribed } from './http/problem-of-error.ts';
export { serveHttp } from './http/serve-http.ts';
export { laneOf } from './http/take-turns.ts';
export { jsonPointer } from './http/validate-requests.ts';
export { whenClosed } from './http/when-closed.ts';
export { type ExitCode, type LifecyclePart, type Running, runLifecycle } from './lifecycle.ts';
export { LOG_LEVELS, type Logger, type LogLevel, silentLogger } from './logger.ts';
export { lookOften } from './look-often.ts';
export { boundedLabel, createMetrics, type Metrics } from './metrics.ts';
export { type Opening, openInOrder } from './open-in-order.ts';
export { createLogger } from './pino-logger.ts';
export { NotUtf8Error, readTextFile, textOfFile } from './read-text-file.ts';
export { answers, type ReadinessCheck } from './readiness.ts';
export { replaceFile, withFileLock } from './replace-file.ts';
export { ofThisRequest, outsideRequests, requestInHand, sharedByRequests } from './request-scope.ts';
export { runService, type ServiceContext, type ServiceParts, type ServiceSettings } from './run-service.ts';
export { readOrMakeSecret } from './secret-file.ts';
export { Bucket } from './throughput/bucket.ts';
export { consumed, produced } from './tracing/messaging.ts';
export { openTracer } from './tracing/open-tracer.ts';
export { beginTogether, during } from './tracing/together.ts';
export type { Attributes, Span, SpanOptions, Tracer } from './tracing/tracer.ts';
export { inTurns, type Turns, turns } from './turns.ts';
export { type WatchedFile, watchFile } from './watched-file.ts';
