/**
 * @mandate/runtime: code that every package and process of Mandate needs, and that belongs to no domain. Errors,
 * time, the ports of logs and of traces, parts that start and stop in order, files, and fair turns of the event loop.
 * Settings from the environment are in `@mandate/runtime/settings`, because their schemas load zod.
 *
 * The ledger, the log and the audit import this package. It imports only the schemas. So it contains no HTTP, no
 * metrics, and no logger or tracer from a library. @mandate/server contains these, and opens services.
 *
 * Promises: parts stop in the reverse order of their start, each within a time limit. Work that several requests
 * share does not belong to the request that started it (request-scope.ts). No code here reads the environment; a
 * main.ts passes it.
 */
export {
  type Clock,
  type ClockJump,
  type ManualClock,
  manualClock,
  monotonic,
  systemClock,
} from './clock.ts';
export { readSentinelUrl, type SentinelUrl } from './config/backends/sentinel-url.ts';
export { readTlsFiles, type TlsFiles, tlsRemedy } from './config/backends/tls-files.ts';
export { CONFIG_PREFIX } from './config/config-prefix.ts';
export { type DataFolder, DEFAULT_DATA_PATH, dataFolder, makeDataFolder } from './data-folder.ts';
export { isMandateError, MandateError } from './errors.ts';
export { FairQueue, type Lane } from './fair-queue.ts';
export { type FollowedDocument, followDocument } from './followed-document.ts';
export { holdExclusively } from './hold-exclusively.ts';
export { isUnsent } from './is-unsent.ts';
export { type ExitCode, type LifecyclePart, type Running, runLifecycle } from './lifecycle.ts';
export { LOG_LEVELS, type Logger, type LogLevel, silentLogger } from './logger.ts';
export { readNamedFile, unreadableFile } from './named-file.ts';
export { type Opening, openInOrder } from './open-in-order.ts';
export { poll } from './poll.ts';
export { NotUtf8Error, readTextFile, textOfFile } from './read-text-file.ts';
export { answers, type ReadinessCheck } from './readiness.ts';
export { replaceFile, withFileLock } from './replace-file.ts';
export {
  inRequest,
  ofThisRequest,
  outsideRequests,
  type RequestInHand,
  requestInHand,
  sharedByRequests,
} from './request-scope.ts';
export { readOrMakeSecret } from './secret-file.ts';
export { lowerPriority } from './thread-priority.ts';
export { consumed, produced } from './tracing/messaging.ts';
export { beginTogether, withSpans } from './tracing/shared-spans.ts';
export { type Attributes, nowMs, type Span, type SpanOptions, type Tracer } from './tracing/tracer.ts';
export { inTurns, type Turns, turns } from './turns.ts';
export { type WatchedFile, watchFile } from './watched-file.ts';
