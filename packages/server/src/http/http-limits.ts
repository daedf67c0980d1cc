import { z } from 'zod';

/** What one client may cost the process. Times in milliseconds, sizes in bytes. */
export type HttpLimits = {
  /** The largest body; a route may declare its own `bodyLimit`. */
  bodyBytes: number;
  /** Bodies and answers up to this size are not counted. The bound on sockets limits their number. */
  smallBodyBytes: number;
  /** The sum of larger bodies under way, as far as they arrived. caller-rooms.ts says which part each caller may take. */
  bodiesBytes: number;
  /** A body is cut off after this time without a byte. */
  bodyIdleMs: number;
  /** The average that a body must reach after `bodyIdleMs`. */
  bodyBytesPerSecond: number;
  /** The sum of larger answers that were not read yet. */
  answersBytes: number;
  /** How long a caller may leave an answer unread, plus the time that its size takes at `readBytesPerSecond`. */
  unreadMs: number;
  readBytesPerSecond: number;
  /** All headers of one request together. */
  headerBytes: number;
  /** From the first byte of a request to the end of its headers: what slow senders run into. */
  headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  requestTimeoutMs: number;
  /** A socket on which nothing moves. Must exceed the longest wait for an answer that a route offers. */
  idleSocketTimeoutMs: number;
  /** An open socket between two requests. */
  keepAliveTimeoutMs: number;
  /** 0: no limit. With a limit, a balancer spreads clients over several processes again. */
  requestsPerSocket: number;
  sockets: number;
  /** Requests under way at once, of all sockets. */
  requests: number;
  /** How often time-outs of requests, bodies and readers are looked at; they may be late by that much. */
  timeoutCheckMs: number;
  requestsPerKeyPerSecond: number;
  /** Refused credentials per address and minute; beyond that 429 instead of 401. Good keys are never affected. */
  refusalsPerAddressPerMinute: number;
  /** All readiness checks together. */
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
