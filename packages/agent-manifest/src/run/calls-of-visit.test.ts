import { expect, test } from 'vitest';
import { type CallRecord, callsToAskAgain } from './calls-of-visit.ts';

const agentId = 'm.w';

function called(actionId: string, answer: { type: 'model' | 'tool' | 'refused' }): CallRecord[] {
  const call = actionId.startsWith('m') ? { type: 'model' } : { type: 'tool', tool: 'x' };
  return [
    { event: 'call.begun', agentId, actionId, call, repeatable: false },
    { event: 'call.completed', agentId, actionId, actionAttempt: 1, answer, outcome: null },
  ] as CallRecord[];
}

const MODEL = { type: 'model' } as const;
const TOOL = { type: 'tool' } as const;
const REFUSED = { type: 'refused' } as const;
const idsOf = (calls: readonly CallRecord[]) => calls.map(({ actionId }) => actionId);

test.each([
  ['a refusal that the model was not told of', [...called('m1', MODEL), ...called('t1', REFUSED)], ['t1']],
  [
    'no refusal that the model was told of',
    [...called('m1', MODEL), ...called('t1', REFUSED), ...called('m2', MODEL)],
    [],
  ],
])('asks again %s', (_, calls, again) => {
  expect(idsOf(callsToAskAgain(calls, 'AGENT_KILLED'))).toEqual(again);
});

const ANSWERED = [
  ...[...called('m1', MODEL), ...called('t1', TOOL)],
  ...[...called('m2', MODEL), ...called('m3', MODEL)],
];

test('after the last tool, asks the model again only if its answers were of no use', () => {
  const again = callsToAskAgain(ANSWERED, 'ANSWER_INVALID');
  expect(idsOf(again)).toEqual(['m2', 'm3']);
  expect(callsToAskAgain(ANSWERED, 'RUN_TIMEOUT')).toEqual([]);
  const twice = callsToAskAgain([...ANSWERED, ...again, ...called('m2~1', MODEL)], 'ANSWER_INVALID');
  expect(idsOf(twice)).toEqual(['m2~1']);
});
