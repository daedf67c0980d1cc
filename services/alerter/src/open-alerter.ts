import { recordHttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import { redactPieces } from '@mandate/privacy';
import { type Clock, systemClock } from '@mandate/runtime';
import type { HttpRoutes, ProcessParts } from '@mandate/server';
import type { z } from 'zod';
import { alertRoutes } from './alert-routes.ts';
import { type Alerter, startAlerter } from './alerter.ts';
import type { alerterSettings } from './config.ts';
import type { RulesFile } from './rules-file.ts';

type Settings = Pick<z.output<typeof alerterSettings>, 'ALERTER_SESSION_TIMEOUT_MS' | 'ALERTER_MAX_WAITING'>;

/**
 * Opens the alerter in a process that has already opened the log. Follows the rule file.
 *
 * @param parts.recordReads whether the log records who reads alerts
 */
export async function openAlerter(
  config: Readonly<Settings>,
  parts: Pick<ProcessParts, 'log' | 'metrics' | 'running'> & {
    bus: Bus;
    rules: RulesFile;
    recordReads: boolean;
    clock?: Clock;
  },
): Promise<{ routes: HttpRoutes; readiness: Alerter['readiness']; linkTo: Alerter['linkTo'] }> {
  const { bus, rules, recordReads, clock = systemClock, log, metrics, running } = parts;
  const starting = startAlerter({
    bus,
    rules,
    log,
    metrics,
    clock,
    sessionTimeoutMs: config.ALERTER_SESSION_TIMEOUT_MS,
    mostWaiting: config.ALERTER_MAX_WAITING,
  });
  const alerter = running(await starting);
  const reads = recordReads
    ? recordHttpReads({ bus, source: 'alerter', clock, log, redactText: redactPieces })
    : null;
  const { readiness, linkTo } = alerter;
  return { routes: alertRoutes(alerter, reads), readiness, linkTo };
}
