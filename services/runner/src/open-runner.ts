import { recordHttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import type { FollowedControl } from '@mandate/control-log';
import { redactPieces } from '@mandate/privacy';
import { type Clock, systemClock } from '@mandate/runtime';
import type { HttpRoutes, ProcessParts } from '@mandate/server';
import type { z } from 'zod';
import type { runnerSettings } from './config.ts';
import { runRoutes } from './run-routes.ts';
import { type Runner, type RunnerParts, startRunner } from './runner.ts';
import type { RunnerFile } from './runner-file.ts';

type Settings = Pick<z.output<typeof runnerSettings>, 'RUNNER_SESSION_TIMEOUT_MS' | 'RUNNER_MAX_STEPS'>;

/**
 * Opens the runner in a process that has already opened the log and follows the control topic. `perform` begins to
 * perform runs: a plane calls it once it listens, because runs ask the plane for their actions.
 *
 * @param parts.recordReads whether the log records who reads runs
 */
export async function openRunner(
  config: Readonly<Settings>,
  parts: Pick<ProcessParts, 'log' | 'metrics' | 'running' | 'closing'> &
    Pick<RunnerParts, 'keyOf'> & {
      bus: Bus;
      followed: Pick<FollowedControl, 'manifests'>;
      file: RunnerFile;
      recordReads: boolean;
      clock?: Clock;
    },
): Promise<{ routes: HttpRoutes } & Pick<Runner, 'readiness' | 'perform'>> {
  const { bus, followed, file, recordReads, clock = systemClock } = parts;
  const { log, metrics, running, closing, keyOf } = parts;
  const started = {
    ...{ bus, clock, log, metrics, keyOf },
    ...file.open(clock, log),
    published: followed.manifests,
    sessionTimeoutMs: config.RUNNER_SESSION_TIMEOUT_MS,
    mostSteps: config.RUNNER_MAX_STEPS,
  };
  const runner = await startRunner(started, { running, closing });
  const reads = recordReads
    ? recordHttpReads({ bus, source: 'runner', clock, log, redactText: redactPieces })
    : null;
  const { readiness, perform } = runner;
  return { routes: runRoutes(runner, reads), readiness, perform };
}
