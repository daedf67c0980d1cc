import { describe, expect, test } from 'vitest';
import type { CallEvent } from './call-event.ts';
import { callsIn, unreportedOutcomes } from './history.ts';

const agentId = 'm.w';
const begun = (actionId: string): CallEvent => ({
  event: 'call.begun',
  actionId,
  agentId,
  call: { type: 'tool', tool: 'pay' },
});
const completed = (actionId: string, changes: object = {}): CallEvent => ({
  event: 'call.completed',
  actionId,
  agentId,
  attempt: 1,
  answer: { type: 'tool', text: 'paid', isError: false },
  outcome: { status: 'success' },
  ...changes,
});

describe('the calls on a log', () => {
  test.each([
    ['begun', [begun('t1')]],
    ['completed', [begun('t1'), completed('t1')]],
    ['failed', [begun('t1'), completed('t1', { answer: { type: 'failed', code: 'X', message: '' } })]],
    [
      'begun',
      [begun('t1'), completed('t1', { answer: { type: 'failed', code: 'X', message: '' } }), begun('t1')],
    ],
    ['not done', [begun('t1'), { event: 'call.resolved', actionId: 't1', agentId, done: false } as const]],
    [
      'retried',
      [
        begun('t1'),
        completed('t1', { answer: { type: 'refused', code: 'X', text: '' } }),
        { event: 'call.retried', actionId: 't1', agentId } as const,
      ],
    ],
  ] as const)('are %s after their events', (state, events) => {
    expect(callsIn(events, agentId).get('t1')?.state).toBe(state);
  });

  test('are left out if they belong to another agent', () => {
    expect(callsIn([{ ...begun('t1'), agentId: 'm.v' }], agentId).size).toBe(0);
  });
});

describe('the outcomes that may not be reported', () => {
  const idsOf = (events: readonly CallEvent[]) =>
    unreportedOutcomes(events, agentId).map(({ actionId }) => actionId);

  test('are those of the last completed call, and of the calls that ran at the same time', () => {
    expect(idsOf([])).toEqual([]);
    expect(idsOf([begun('m1')])).toEqual([]);
    expect(idsOf([begun('m1'), completed('m1')])).toEqual(['m1']);
    expect(idsOf([begun('m1'), completed('m1'), begun('t1'), completed('t1'), begun('m2')])).toEqual(['t1']);
    expect(
      idsOf([begun('m1'), completed('m1'), begun('t1'), begun('t2'), completed('t1'), completed('t2')]),
    ).toEqual(['t1', 't2']);
  });

  test('are none for a call that was refused', () => {
    expect(idsOf([begun('t1'), completed('t1', { attempt: null, outcome: null })])).toEqual([]);
  });
});
