import type { RunPlan } from '@mandate/agent-manifest';
import { type RunEvent, runKey } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { type PlaceInList, RunBook } from './run-book.ts';

const STARTED = {
  event: 'run.started',
  ...{ runId: 'run_1', tenant: 'default', at: '2026-11-01T08:00:00.000Z' },
  manifest: { id: 'refund', version: 1, hash: '0'.repeat(64) },
  ...{ agent: null, inputs: {}, principal: null, by: 'key:operator' },
} as const;

type Written = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, 'runId' | 'tenant' | 'at'>
    : never
  : never;

/** A run book with a run that has only started, and a function that applies further events of the run. */
function startedBook() {
  const book = new RunBook();
  let offset = 0;
  const apply = (written: Written, runId = STARTED.runId) => {
    const event = { ...STARTED, ...written, runId } as RunEvent;
    book.apply(event, { partition: 0, offset: offset++ });
    const run = book.get(event.tenant, runId);
    if (run === null) throw new Error(`the book does not know ${runKey(event.tenant, runId)}`);
    return run;
  };
  return { book, apply, run: apply(STARTED) };
}

const PLACE = { step: 'pay', visit: 1, attempt: 1 } as const;
const BEGUN = { event: 'step.begun', ...PLACE, inputs: null } as const;
const LAST_COMPLETED = { event: 'step.completed', ...PLACE, output: 'paid', next: null } as const;
const RUN_FAILED = { event: 'run.failed', code: 'OUTPUT_INVALID', reason: 'a text', step: null } as const;
const RETRIED = { event: 'run.retried', by: 'key:operator' } as const;

test('ignores a second start of a run, which two requests with one idempotency key can append', () => {
  const { book, apply, run } = startedBook();
  const told: string[] = [];
  book.listen((_, { event }) => told.push(event));
  apply(STARTED);
  expect(run.events).toHaveLength(1);
  expect(run.offsets).toEqual([0]);
  expect(told).toEqual([]);
});

test('a run that failed goes on after a retry, but not if it failed after its last step', () => {
  const { apply, run } = startedBook();
  apply(BEGUN);
  apply({
    ...{ event: 'step.failed', ...PLACE, code: 'TOOL_FAILED', reason: 'away' },
    ...{ retryable: false, retryAfterMs: null },
  });
  apply({ ...RUN_FAILED, step: 'pay' });
  expect(run.status).toBe('failed');
  apply(RETRIED);
  expect(run.status).toBe('running');
  apply({ ...BEGUN, attempt: 2 });
  apply({ ...LAST_COMPLETED, attempt: 2 });
  apply(RUN_FAILED);
  apply(RETRIED);
  expect(run.status).toBe('failed');
});

test('a status that is computed without the whole state equals the status of the state', () => {
  const { book, apply, run } = startedBook();
  for (const event of [BEGUN, LAST_COMPLETED, RUN_FAILED, RETRIED] as const) apply(event);
  const { status } = run;
  const plan = { start: 'pay', absorb: () => [] } as unknown as RunPlan;
  expect(book.stateOf(run, plan)?.status).toBe(status);
});

test('drops the events of the runs that ended first, and reads them again for a retry', () => {
  const { book, apply, run } = startedBook();
  const events = [...(apply({ ...RUN_FAILED, step: 'pay' }).events ?? [])];
  for (let other = 0; other < 500; other += 1) {
    apply({ ...STARTED }, `run_other${other}`);
    apply(RUN_FAILED, `run_other${other}`);
  }
  expect(run.events).toBe(null);
  book.restore(run, events);
  apply(RETRIED);
  expect(run).toMatchObject({ status: 'running', events: [{}, {}, { event: 'run.retried' }] });
});

test('lists the newest start first, in whatever order partitions are read', () => {
  const { book, apply } = startedBook();
  for (const [runId, at] of [
    ['run_b', '2026-11-02T08:00:00.000Z'],
    ['run_c', '2026-10-01T08:00:00.000Z'],
    ['run_a', '2026-11-02T08:00:00.000Z'],
  ] as const)
    apply({ ...STARTED, at } as Written, runId);
  const ids = (before?: PlaceInList) => [...book.newestFirst('default', before)].map(({ runId }) => runId);
  expect(ids()).toEqual(['run_b', 'run_a', 'run_1', 'run_c']);
  expect(ids(['2026-11-02T08:00:00.000Z', 'run_a'])).toEqual(['run_1', 'run_c']);
  expect([...book.newestFirst('other')]).toEqual([]);
});
