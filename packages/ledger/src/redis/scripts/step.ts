/** step.lua and confirm.lua: the operations of one tenant, as they go in and come out. */
import type { Operation, StepResult } from '../../port.ts';
import { corrupt } from '../failure.ts';
import { coordinateOf } from '../keys.ts';
import type { Shards } from '../shards.ts';
import {
  type AnswerReply,
  type DecidedReply,
  decodeDecided,
  decodeSettled,
  plansIn,
  type SettledReply,
} from './answers.ts';
import { encodeCall } from './encode-call.ts';

/** The place of the answer; 0: published, -1: to be planned again; what an earlier operation or call was answered. */
type ResultReply = number | [call: number, place: number];

/** What one call answered, and the plans that its requests came with. */
type Answers = { atMs: number; answers: readonly AnswerReply[]; planAt: ReturnType<typeof plansIn> };

export async function stepTenant(
  shards: Shards,
  tenant: string,
  operations: readonly Operation[],
): Promise<StepResult[]> {
  const encoded = encodeCall(operations);
  const args = [shards.replayMemoryMs, tenant, encoded.operations, encoded.plans];
  const { reply, epoch } = await shards.askNamingEpoch(tenant, 'step', args);
  if (reply[0] === 'CORRUPT') throw corrupt(String(reply[1]));
  const [, atMs, call, results, answers, kept] = reply as [
    'OK',
    number,
    number,
    ResultReply[],
    AnswerReply[],
    [call: number, atMs: number, answers: AnswerReply[], plans: string][],
  ];
  const planAt: Answers['planAt'] = (place) => {
    const operation = operations[place - 1];
    if (operation?.op !== 'decide') throw new TypeError('an outcome was decided');
    return operation.plan;
  };
  const now: Answers = { atMs, answers, planAt };
  const byCall = new Map([[call, now]]);
  for (const [earlier, atMs, answers, plans] of kept) {
    byCall.set(earlier, { atMs, answers, planAt: plansIn(plans) });
  }
  return results.map((result, at): StepResult => {
    if (result === 0) return { kind: 'published' };
    if (result === -1) return { kind: 'replan', atMs };
    const { op } = operations[at] ?? {};
    if (typeof result === 'number') return resultOf(now, result, op, epoch, false);
    const said = byCall.get(result[0]);
    if (said === undefined) throw new TypeError('a call was named whose answers were not given');
    return resultOf(said, result[1], op, epoch, true);
  });
}

function resultOf(
  { answers, planAt, atMs }: Answers,
  place: number,
  op: Operation['op'] | undefined,
  epoch: string,
  redelivered: boolean,
): StepResult {
  const answer = answers[place - 1];
  if (answer === undefined) throw new TypeError('an answer was named that was not given');
  if (op === 'settle') {
    return { kind: 'settled', facts: decodeSettled(answer as SettledReply, epoch, atMs), redelivered };
  }
  const plan = planAt(answer[0]);
  return {
    kind: 'decided',
    plan,
    facts: decodeDecided(answer as DecidedReply, plan, epoch, atMs),
    redelivered,
  };
}

/** What the log holds now. Throws LEDGER_EPOCH_CHANGED when it was decided under another epoch. */
export async function confirmTenant(
  shards: Shards,
  epoch: string,
  tenant: string,
  published: readonly Pick<Operation, 'source'>[],
): Promise<void> {
  const coordinates = published.map(({ source }) => coordinateOf(source));
  await shards.askUnder(epoch, tenant, 'confirm', [JSON.stringify(coordinates)]);
}
