import type { AuditClient } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import { redactPieces } from '@mandate/privacy';
import type { Clock } from '@mandate/runtime';
import type { HttpRoutes, ProcessParts, ServiceParts } from '@mandate/server';
import type { z } from 'zod';
import { queryReadiness, queryRoutes } from './app.ts';
import type { querySettings } from './config.ts';

type Settings = Pick<z.output<typeof querySettings>, 'QUERY_RECORD_READS' | 'QUERY_ANSWER_TIMEOUT_MS'>;

/** Opens the query service in a process that has already opened the audit. `bus` is null if there is no log. */
export function openQuery(
  config: Readonly<Settings>,
  {
    audit,
    bus,
    clock,
    log,
    metrics,
  }: Pick<ProcessParts, 'log' | 'metrics'> & { audit: AuditClient; bus: Bus | null; clock: Clock },
): { routes: HttpRoutes; readiness: ServiceParts['readiness'] } {
  const routes = queryRoutes({
    audit,
    bus: config.QUERY_RECORD_READS ? bus : null,
    log,
    metrics,
    clock,
    timeoutMs: config.QUERY_ANSWER_TIMEOUT_MS,
    redactText: redactPieces,
  });
  return { routes, readiness: () => queryReadiness(audit) };
}
