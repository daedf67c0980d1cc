/**
 * The routes for an orchestrator and a scraper: whether the process is alive, whether it is ready, and its metrics.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadinessCheck } from '@mandate/runtime';
import { outsideRequests } from '@mandate/runtime';
import { described } from '@mandate/schemas';
import { z } from 'zod';
import type { Metrics } from '../metrics.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

const LIVES = z.object({
  status: described(z.literal('ok'), '`ok`: the process is running.'),
  service: described(z.string(), 'The name of the service.', 'gateway'),
  version: described(z.string(), 'The version of Mandate.', '0.1.0'),
});
const READY = z.object({
  status: described(z.literal('ready'), '`ready`: the service can work.'),
  checks: described(
    z.array(
      z.object({
        name: described(z.string(), 'The name of the check.', 'log'),
        ok: described(z.boolean(), 'Whether the check passed.', true),
        stale: described(
          z.boolean().optional(),
          'Whether a file has a mistake, so that its last good version is used. Absent if the file has no mistake.',
          true,
        ),
        detail: described(
          z.string().optional(),
          'A fault or a warning, for people. Absent if nothing is wrong.',
          'mandates.yaml: line 3: unknown field "agent"',
        ),
      }),
    ),
    'The checks of what the service needs.',
  ),
});

export function addHealthRoutes(
  server: HttpServer,
  options: {
    service: string;
    version: string;
    metrics: Metrics;
    readiness: () => Promise<readonly ReadinessCheck[]>;
    readinessTimeoutMs: number;
  },
): void {
  const { service, version, metrics, readiness, readinessTimeoutMs } = options;
  const config = { public: true, urgent: true };

  const livesSchema = {
    tags: ['health'],
    summary: 'Show whether the process is alive',
    response: { 200: LIVES },
  };
  server.get('/healthz', { config, schema: livesSchema }, () => ({
    status: 'ok' as const,
    service,
    version,
  }));

  const ready = metrics.gauge({
    name: 'mandate_readiness_ok',
    help: 'The last result of each readiness check: 1 if the service has what it needs, otherwise 0',
    labels: ['check'],
  });
  const stale = metrics.gauge({
    name: 'mandate_readiness_stale',
    help: '1 if an edited file has faults and its last good version is in force, otherwise 0; by check',
    labels: ['check'],
  });
  const check = oneForAll(async () => {
    const checks = await inTime(readiness(), readinessTimeoutMs);
    ready.reset();
    stale.reset();
    for (const { name, ok, stale: isStale } of checks) {
      ready.set({ check: name }, ok ? 1 : 0);
      stale.set({ check: name }, isStale ? 1 : 0);
    }
    return checks;
  });

  const readySchema = {
    tags: ['health'],
    summary: 'Show whether the process can work',
    response: { 200: READY },
  };
  server.get('/readyz', { config, schema: readySchema }, async () => {
    const checks = await check();
    const failed = checks.filter((check) => !check.ok).map((check) => check.name);
    if (failed.length === 0) return { status: 'ready' as const, checks: [...checks] };
    throw new HttpProblem(503, 'NOT_READY', `not ready: ${failed.join(', ')}`, {
      remedy: 'Wait, then ask again. `checks` shows what is missing.',
      headers: { 'retry-after': '1' },
      extension: { checks },
    });
  });

  const metricsSchema = {
    tags: ['health'],
    summary: 'Show metrics in the Prometheus text format',
    produces: ['text/plain'],
  };
  const tell = oneForAll(async () => {
    // The metrics are answered even if a check fails, because they are needed most during failures.
    await check().catch(() => ready.set({ check: 'readiness' }, 0));
    return metrics.registry.metrics();
  });
  server.get('/metrics', { config: { public: true }, schema: metricsSchema }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await tell()),
  );
}

/**
 * Returns a function that runs `work` only once for all callers at the same time. The routes need no key, so an
 * attacker could call them without limit.
 */
function oneForAll<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= outsideRequests(work).finally(() => {
      running = null;
    });
    return running;
  };
}

async function inTime(
  checks: Promise<readonly ReadinessCheck[]>,
  limitMs: number,
): Promise<readonly ReadinessCheck[]> {
  const settled = new AbortController();
  const late = sleep(limitMs, undefined, { signal: settled.signal }).then(
    () => [{ name: 'readiness', ok: false, detail: `no answer within ${limitMs} ms` }],
    () => [],
  );
  try {
    return await Promise.race([checks, late]);
  } finally {
    settled.abort();
  }
}
