/**
 * Generates random histories of turns: two agents send prompts and act in the turns of these prompts. There are few
 * prompts and few reasons to refuse a call. So most turns count several calls, which is rare in other histories.
 */
import type { Limit, Plan, StepRequest, TurnLimit } from '@mandate/schemas';
import fc from 'fast-check';
import { budget, confirmation, planOf, rate, refusal, turn } from './builders.ts';
import type { Command, History, OperationCommand } from './history-command.ts';

function one<const Value>(...values: Value[]): fc.Arbitrary<Value> {
  return fc.constantFrom(...values);
}

function mix<Value>(...parts: [weight: number, arbitrary: fc.Arbitrary<Value>][]): fc.Arbitrary<Value> {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const agentId = one('ann', 'ann', 'bob');
const back = one(0, 0, 1, 1, 2, 3, 5);
const turnId = one('p0', 'p0', 'p0', 'p1');

const turnLimit = fc
  .record({
    turnId: mix<string | null>([30, turnId], [1, one(null)]),
    agents: mix<readonly string[]>([4, one(['ann', 'bob'], ['bob', 'ann'])], [1, one(['ann'], ['bob'])]),
    person: mix<string | null>([8, one('u1 user', null)], [1, one('u1 ', ' ')]),
    counts: mix<TurnLimit['counts']>([6, one('tool', 'tool', 'model')], [1, one(null)]),
    maxCalls: mix<number | null>([8, one(2, 3, 3, 4, 5)], [1, one(null, 1, 0)]),
    timeoutMs: one(null, null, null, 200, 50),
    intents: mix<readonly string[] | null>([6, one(null, ['quiz', 'chat'])], [1, one(['chat'], [])]),
  })
  .map(turn);

const otherLimit = mix<Limit>(
  [2, one(rate({ agentId: 'ann', maxCalls: 3, windowMs: 90 }))],
  [2, one(budget({ subject: 'ann', maxMicros: 100 }))],
  [3, one(confirmation)],
);

type StepPlan = StepRequest['plan'];

const prompt: fc.Arbitrary<StepPlan> = fc
  .record({
    intent: one('chat', 'chat', 'chat', 'quiz', null),
    person: mix([9, one('u1 user')], [1, one(' ')]),
    inTurn: mix<Limit[]>([9, one([])], [1, fc.tuple(turnLimit)]),
    refusal: mix<Plan['refusal']>([15, one(null)], [1, one(refusal())]),
    observe: one(false, false, false, true),
    leaseMs: one(10, 100, 600),
  })
  .map(({ intent, person, inTurn, ...rest }) =>
    planOf({ ...rest, reserveMicros: 0, limits: inTurn, opensTurn: { intent, person } }),
  );

const call: fc.Arbitrary<StepPlan> = fc
  .record({
    inTurn: mix<Limit[]>([3, fc.tuple(turnLimit)], [1, fc.tuple(turnLimit, turnLimit)]),
    others: mix<Limit[]>([3, one([])], [1, fc.tuple(otherLimit)]),
    refusal: mix<Plan['refusal']>([12, one(null)], [1, one(refusal())]),
    observe: one(false, false, false, false, false, true),
    leaseMs: one(10, 100),
  })
  .map(({ inTurn, others, ...rest }) =>
    planOf({ ...rest, reserveMicros: 30, limits: [...inTurn, ...others] }),
  );

/** Calls in a turn have many different ids, because a repeated id is a duplicate, which counts nowhere. */
const asked = {
  op: one('decide'),
  tenant: one('acme'),
  agentId,
  attempt: one(1, 1, 1, 2),
  idempotencyKey: one(null),
  digest: one('d1'),
  deadlineInMs: mix<number | null>([20, one(null)], [1, one(-1)]),
  aheadMs: one(0, 0, 0, 0, 0, 30, 500),
} as const;

const operation = mix<OperationCommand>(
  [2, fc.record({ ...asked, actionId: turnId, plan: one(0, 0, 1) })],
  [8, fc.record({ ...asked, actionId: fc.nat({ max: 99 }).map((at) => `a${at}`), plan: one(2, 3) })],
  [1, fc.record({ op: one('ask-again'), back, later: one(0, 1, 1) })],
  [
    2,
    fc.record({
      op: one('report'),
      back,
      outcome: fc.record({
        status: one('success', 'failure', 'failure'),
        actualMicros: one(null),
        verified: one(null),
        mayRelease: one(false),
      }),
    }),
  ],
  [1, fc.record({ op: one('redeliver'), back })],
);

const command = mix<Command>(
  [18, fc.record({ do: one('step'), operations: fc.array(operation, { minLength: 1, maxLength: 4 }) })],
  [4, fc.record({ do: one('pass'), ms: one(1, 1, 5, 5, 10, 10, 20, 20, 50, 51, 150, 401, -30) })],
  [3, fc.record({ do: one('confirm'), mask: fc.nat({ max: 255 }) })],
  [
    2,
    fc.record({
      do: one('approve'),
      id: one('c1', 'c2', 'c3', 'c4'),
      back,
      answer: one('granted', 'granted', 'denied'),
      expiresInMs: one(500, 30),
      asks: one(true, true, false),
    }),
  ],
);

const opensFirst: Command = {
  do: 'step',
  operations: [
    {
      ...{ op: 'decide', tenant: 'acme', agentId: 'ann', actionId: 'p0', attempt: 1, plan: 0 },
      ...{ idempotencyKey: null, digest: 'd1', deadlineInMs: null, aheadMs: 0 },
    },
  ],
};

/** Returns histories with at most `maxLength` commands. Most begin with a prompt. */
export function arbitraryTurnHistory(maxLength: number): fc.Arbitrary<History> {
  return fc.record({
    plans: fc.tuple(prompt, prompt, call, call),
    commands: fc
      .array(command, { minLength: 1, maxLength: maxLength - 1, size: 'max' })
      .map((commands) => [opensFirst, ...commands]),
  });
}
