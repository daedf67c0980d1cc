import { z } from 'zod';

/** What one client may cost the process. Times in milliseconds, sizes in bytes. */
export type HttpLimits = {
  /** The largest body. A route may declare its own `bodyLimit`. */
  bodyBytes: number;
  /** Bodies and answers up to this size are not counted. The bound on sockets limits their number. */
  smallBodyBytes: number;
  /**
   * The sum of larger incoming bodies, as far as they arrived. caller-rooms.ts says which part each caller may take.
   */
  bodiesBytes: number;
  /** A body is cut off after this time without a byte. */
  bodyIdleMs: number;
  /** The average rate that a body must reach after `bodyIdleMs`. */
  bodyBytesPerSecond: number;
  /** The sum of larger answers that were not read yet. */
  answersBytes: number;
  /** How long a caller may leave an answer unread, plus the time that its size takes at `readBytesPerSecond`. */
  unreadMs: number;
  readBytesPerSecond: number;
  /** All headers of one request together. */
  headerBytes: number;
  /** From the first byte of a request to the end of its headers. Stops slow senders. */
  headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  requestTimeoutMs: number;
  /** A socket without any traffic. Must be longer than the longest wait for an answer that a route offers. */
  idleSocketTimeoutMs: number;
  /** An open socket between two requests. */
  keepAliveTimeoutMs: number;
  /** 0: no limit. A limit lets a balancer spread clients over several processes again. */
  requestsPerSocket: number;
  sockets: number;
  /** Running requests of all sockets together. */
  requests: number;
  /** How often time-outs of requests, bodies and readers are checked. They may be late by this time. */
  timeoutCheckMs: number;
  requestsPerKeyPerSecond: number;
  /**
   * Refused credentials per address and minute. Above that the answer is 429 instead of 401. Valid keys are never
   * affected.
   */
  refusalsPerAddressPerMinute: number;
  /** For all readiness checks together. */
  readinessTimeoutMs: number;
};

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  smallBodyBytes: 16 * 1024,
  bodiesBytes: 128 * 1024 * 1024,
  bodyIdleMs: 5_000,
  bodyBytesPerSecond: 1024,
  answersBytes: 128 * 1024 * 1024,
  unreadMs: 30_000,
  readBytesPerSecond: 16 * 1024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  idleSocketTimeoutMs: 120_000,
  keepAliveTimeoutMs: 72_000,
  requestsPerSocket: 0,
  sockets: 10_000,
  requests: 10_000,
  timeoutCheckMs: 1_000,
  requestsPerKeyPerSecond: 10_000,
  refusalsPerAddressPerMinute: 60,
  readinessTimeoutMs: 3_000,
};

/** The setting of a service: `<AREA>_MAX_SOCKETS`. */
export const maxSockets = z
  .int()
  .min(50)
  .max(100_000)
  .default(DEFAULT_HTTP_LIMITS.sockets)
  .describe(
    'how many connections may be open at once; the connection that was idle for longest is closed to make room',
  );

/** The setting of a service: `<AREA>_REQUESTS_PER_KEY_PER_SECOND`. */
export const requestsPerKeyPerSecond = z
  .int()
  .min(1)
  .max(1_000_000)
  .default(DEFAULT_HTTP_LIMITS.requestsPerKeyPerSecond)
  .describe('how many requests an API key may send to this process in a second; more are answered 429');
