import { z } from 'zod';

/** What one client may cost the process. Times in milliseconds, sizes in bytes. */
export type HttpLimits = {
  /** The largest body; a route may declare its own `bodyLimit`. */
  bodyBytes: number;
  /** Of all bodies that are under way at once; one key takes at most half of it. */
  bodiesBytes: number;
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
  /** 0 is no limit. A limit spreads clients anew over several processes behind a balancer. */
  requestsPerSocket: number;
  sockets: number;
  /** How often the two request time-outs are looked at; they may be late by that much. */
  timeoutCheckMs: number;
  requestsPerKeyPerSecond: number;
  /** Refused credentials per address and minute; beyond that 429 instead of 401. Good keys are never affected. */
  refusalsPerAddressPerMinute: number;
  /** All readiness checks together. */
  readinessTimeoutMs: number;
};

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  bodiesBytes: 128 * 1024 * 1024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  idleSocketTimeoutMs: 120_000,
  keepAliveTimeoutMs: 72_000,
  requestsPerSocket: 0,
  sockets: 10_000,
  timeoutCheckMs: 1_000,
  requestsPerKeyPerSecond: 10_000,
  refusalsPerAddressPerMinute: 60,
  readinessTimeoutMs: 3_000,
};

/** The setting of a service: `<AREA>_REQUESTS_PER_KEY_PER_SECOND`. */
export const requestsPerKeyPerSecond = z
  .int()
  .min(1)
  .max(1_000_000)
  .default(DEFAULT_HTTP_LIMITS.requestsPerKeyPerSecond)
  .describe('how many requests an API key may send to this process in a second; more are answered 429');
