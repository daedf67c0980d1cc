import { z } from 'zod';

/** Limits on what one client may use. Times in milliseconds, sizes in bytes. */
export type HttpLimits = {
  /** The maximum size of a body. A route may declare its own `bodyLimit`. */
  bodyBytes: number;
  /**
   * Bodies and answers up to this size are not counted. The limit on sockets also limits the number of such bodies
   * and answers.
   */
  smallBodyBytes: number;
  /**
   * The maximum sum of larger incoming bodies, counted as they arrive. caller-rooms.ts contains the part for each
   * caller.
   */
  bodiesBytes: number;
  /** The longest time without a byte before a body is cut off. */
  bodyIdleMs: number;
  /** The average speed that a body must have after `bodyIdleMs`. */
  bodyBytesPerSecond: number;
  /** The maximum sum of larger answers that were not read yet. */
  answersBytes: number;
  /** The time that a caller has to read an answer, in addition to the time for its size at `readBytesPerSecond`. */
  unreadMs: number;
  readBytesPerSecond: number;
  /** The maximum size of all headers of one request. */
  headerBytes: number;
  /** The time limit from the first byte of a request to the end of its headers. Stops slow senders. */
  headersTimeoutMs: number;
  /** The time limit from the first byte of a request to the end of its body. */
  requestTimeoutMs: number;
  /**
   * The time limit for a socket without traffic. It must be longer than the longest wait for an answer of any route.
   */
  idleSocketTimeoutMs: number;
  /** The time limit for an open socket between two requests. */
  keepAliveTimeoutMs: number;
  /**
   * The maximum number of requests on one socket. 0: no limit. With a limit, clients reconnect, so a balancer can
   * spread them over several processes.
   */
  requestsPerSocket: number;
  sockets: number;
  /** The maximum number of running requests on all sockets. */
  requests: number;
  /**
   * The interval between checks of time-outs of requests, bodies and readers. A time-out may be late by this time.
   */
  timeoutCheckMs: number;
  requestsPerKeyPerSecond: number;
  /**
   * The maximum number of refused credentials per address and minute. Above it the answer is 429 instead of 401.
   * Valid keys are never affected.
   */
  refusalsPerAddressPerMinute: number;
  /** The time limit for all readiness checks together. */
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

/** The setting for the maximum number of sockets: `<AREA>_MAX_SOCKETS`. */
export const maxSockets = z
  .int()
  .min(50)
  .max(100_000)
  .default(DEFAULT_HTTP_LIMITS.sockets)
  .describe('how many connections may be open at once; above this, the longest idle connection is closed');

/** The setting for the rate limit of a key: `<AREA>_REQUESTS_PER_KEY_PER_SECOND`. */
export const requestsPerKeyPerSecond = z
  .int()
  .min(1)
  .max(1_000_000)
  .default(DEFAULT_HTTP_LIMITS.requestsPerKeyPerSecond)
  .describe('how many requests an API key may send to this process in a second; more are answered 429');
