/** The HTTP routes of runs: start, list, show, stream, cancel, retry, and resolve an uncertain call. */
import type { HttpReads } from '@mandate/access-log';
import { countAll, type HttpRoutes } from '@mandate/server';
import { cancelRun } from './routes/cancel-run.ts';
import { listRuns } from './routes/list-runs.ts';
import { resolveStep } from './routes/resolve-step.ts';
import { retryRun } from './routes/retry-run.ts';
import { showRun } from './routes/show-run.ts';
import { startRun } from './routes/start-run.ts';
import { streamRun } from './routes/stream-run.ts';
import type { Runner } from './runner.ts';

/**
 * Returns the routes under /v1/runs, as a plugin for an HTTP server.
 *
 * @param reads records who reads runs and who is refused, because runs contain the inputs and answers of agents; null:
 * nothing is recorded
 */
export function runRoutes(runner: Runner, reads: HttpReads | null): HttpRoutes {
  return async (server) => {
    await server.register(async (shown) => {
      reads?.recordAll(shown);
      for (const route of [listRuns, showRun, streamRun]) route(shown, runner);
    });
    await server.register(async (changing) => {
      countAll(changing, 'changes');
      reads?.recordRefusals(changing);
      for (const route of [startRun, cancelRun, retryRun, resolveStep]) route(changing, runner);
    });
  };
}
