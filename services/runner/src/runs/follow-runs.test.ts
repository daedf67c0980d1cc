import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type RunEvent, runKey, TOPICS } from '@mandate/schemas';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { followRuns } from './follow-runs.ts';

const AT = '2026-11-01T08:00:00.000Z';

function eventsOfFailedRun(runId: string): RunEvent[] {
  const of = { runId, tenant: 'default', at: AT };
  return [
    {
      ...{ event: 'run.started', ...of, manifest: { id: 'refund', version: 1, hash: '0'.repeat(64) } },
      ...{ agent: null, inputs: {}, principal: null, by: 'key:operator' },
    },
    { event: 'run.failed', ...of, code: 'STEP_LIMIT', reason: 'too many steps', step: 'pay' },
  ];
}

async function followed() {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.db'), log: silentLogger() });
  onTestFinished(() => bus.close());
  const runs = await followRuns(bus, silentLogger());
  onTestFinished(() => runs.stop());
  return { bus, runs };
}

test('reads the events of an old run from the log again when it is retried', async () => {
  const { bus, runs } = await followed();
  const records = Array.from({ length: 501 }, (_, at) => `run_${at}`).flatMap((runId) =>
    eventsOfFailedRun(runId).map((event) => ({
      key: runKey('default', runId),
      value: JSON.stringify(event),
    })),
  );
  await bus.append(TOPICS.runs, records);
  const run = await waitUntil('the events of a run are dropped', () =>
    [...runs.book.newestFirst('default')].find(({ events }) => events === null),
  );
  expect(run.status).toBe('failed');
  const { runId } = run;
  await runs.append('default', runId, [
    { event: 'run.retried', runId, tenant: 'default', at: AT, by: 'key:operator' },
  ]);
  expect(run.status).toBe('running');
  expect(run.events?.map(({ event }) => event)).toEqual(['run.started', 'run.failed', 'run.retried']);
});

test('ignores a record that cannot be read, and goes on', async () => {
  const { bus, runs } = await followed();
  await bus.append(TOPICS.runs, [{ key: runKey('default', 'run_1'), value: '{"event":"run.of.tomorrow"}' }]);
  await runs.append('default', 'run_1', eventsOfFailedRun('run_1'));
  expect(runs.book.get('default', 'run_1')?.status).toBe('failed');
});
