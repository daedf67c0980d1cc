/** Limits how much API keys and tenants may write. The `config` of a route says how its requests count. */
import type { FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';
import type { Amount, OverQuota, Spending, Throughputs } from '../throughput/throughputs.ts';
import { callerOf } from './authenticate.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How requests of the route count. `changes`: a request counts as one change before its body is read, and a large
     * body counts as more. Other kinds: the handler counts them later.
     */
    counted?: Spending;
  }
  interface FastifyRequest {
    /**
     * Counts this amount for the caller's key and its tenant.
     *
     * @throws HttpProblem 429 TOO_MANY_RECORDS, TOO_MANY_CHANGES or TOO_MANY_READS. Then nothing is counted
     */
    spend(spending: Spending, amount: Amount): void;
    /** Does the same as `spend`, but returns false instead of throwing. */
    trySpend(spending: Spending, amount: Amount): boolean;
    /** Throws like `spend` if this amount is above the quota now, but counts nothing. */
    mustHaveRoom(spending: Spending, amount: Amount): void;
  }
}

/**
 * Which quotas have a metric: only quotas used up to `leastShare`, and at most `most` of them, so that there are few
 * series.
 */
const SHOWN = { leastShare: 0.5, most: 50 };

/** Limits the requests of a server. Call it after `authenticate`, which sets the key of the request. */
export function limitThroughput(
  server: HttpServer,
  { throughputs, metrics }: { throughputs: Throughputs; metrics: Metrics },
): void {
  const limited = metrics.counter({
    name: 'mandate_http_limited_total',
    help: 'Requests refused because their key or tenant is over a quota, by quota and by holder (key or tenant)',
    labels: ['quota', 'of'],
  });
  metrics.gaugeOf({
    name: 'mandate_http_quota_used_ratio',
    help: 'Share of a quota that a tenant has used at this process, of the burst or of the day, whichever is larger; only the 50 largest shares from one half on',
    labels: ['tenant', 'quota'],
    collect: () => throughputs.fullest(SHOWN).map(({ share, ...labels }) => [labels, share] as const),
  });
  function refuseOver(over: OverQuota | null): void {
    if (over === null) return;
    limited.inc({ quota: over.quota, of: over.of });
    throw tooMuch(over);
  }
  server.decorateRequest('spend', function (this: FastifyRequest, spending: Spending, amount: Amount) {
    refuseOver(throughputs.take(spending, callerOf(this), amount));
  });
  server.decorateRequest('trySpend', function (this: FastifyRequest, spending: Spending, amount: Amount) {
    return throughputs.take(spending, callerOf(this), amount) === null;
  });
  server.decorateRequest('mustHaveRoom', function (this: FastifyRequest, spending: Spending, amount: Amount) {
    refuseOver(throughputs.over(spending, callerOf(this), amount));
  });
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.counted === 'changes') request.spend('changes', { records: 1 });
    done();
  });
}

/**
 * The bytes of a body that count as one change. The log keeps each change permanently, and some bodies have a
 * megabyte.
 */
const BYTES_OF_A_CHANGE = 16 * 1024;

/**
 * Counts a large body as further changes. Call it with the size of the body before the body is parsed. The request is
 * already counted as one change.
 *
 * @throws HttpProblem 429 TOO_MANY_CHANGES
 */
export function countBody(request: FastifyRequest, bytes: number): void {
  const changes = Math.ceil(bytes / BYTES_OF_A_CHANGE);
  if (request.routeOptions.config.counted !== 'changes' || changes <= 1) return;
  request.spend('changes', { records: changes - 1 });
}

/** From now on, sets the kind of count for each route that is added to this plugin. */
export function countAll(server: HttpServer, counted: Spending): void {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, counted };
  });
}

const CODES = {
  'publish.records': 'TOO_MANY_RECORDS',
  'publish.bytes': 'TOO_MANY_RECORDS',
  changes: 'TOO_MANY_CHANGES',
  reads: 'TOO_MANY_READS',
} as const;

const SAID = {
  'publish.records': 'records',
  'publish.bytes': 'bytes of records',
  changes: 'changes',
  reads: 'reads that are put on record',
} as const;

function tooMuch({ quota, of, waitMs }: OverQuota): HttpProblem {
  const whose = of === 'key' ? 'this API key' : 'the tenant of this API key';
  return tooManyOf(CODES[quota], `${whose} has reached its quota of ${SAID[quota]}`, {
    waitMs,
    facts: { quota, of },
    otherwise: 'The quotas of the tenant allow no such request. Ask the operator of the plane to raise them.',
  });
}

/**
 * Returns a problem with status 429 and the exact wait: whole seconds in `retry-after`, milliseconds in
 * `retryAfterMs`.
 *
 * @param options.otherwise the remedy if `waitMs` is Infinity, because no wait helps then
 */
export function tooManyOf(
  code: string,
  message: string,
  { waitMs, facts, otherwise = '' }: { waitMs: number; facts: object; otherwise?: string },
): HttpProblem {
  if (waitMs === Number.POSITIVE_INFINITY) {
    return new HttpProblem(429, code, message, {
      remedy: otherwise,
      extension: { ...facts, retryAfterMs: null },
    });
  }
  const seconds = String(Math.ceil(waitMs / 1_000));
  return new HttpProblem(429, code, message, {
    remedy: `Nothing was done. Wait ${seconds} s, then send the request again.`,
    headers: { 'retry-after': seconds },
    extension: { ...facts, retryAfterMs: waitMs },
  });
}
