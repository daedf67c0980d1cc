/**
 * Calls step.lua and confirm.lua for the operations of one tenant. Encodes the operations, and decodes the answers.
 */
import type { Operation, StepResult } from '../../port.ts';
import { corrupt } from '../failure.ts';
import { positionOf } from '../keys.ts';
import type { Shards } from '../shards.ts';
import { type AnswerReply, type CallReply, contextIn, decidedIn, settledIn } from './answers.ts';
import { encodeCall } from './encode-call.ts';
import type { CallContext } from './fast-path.ts';
import type { Micros } from './field-encoding.ts';

/**
 * The index of the answer. 0: published. -1: the request needs a new plan. The pair: the index of an answer of an
 * earlier call.
 */
type ResultReply = number | [call: number, index: number];

type Answered = { reply: CallReply; decided: ReturnType<typeof decidedIn> };

export async function stepTenant(
  shards: Shards,
  tenant: string,
  operations: readonly Operation[],
): Promise<StepResult[]> {
  const { context, ...encoded } = encodeCall(operations, shards.keptUnremembered);
  const args = [shards.replayMemoryMs, tenant, encoded.operations, encoded.plans];
  const { reply, epoch } = await shards.askNamingEpoch(tenant, 'step', args);
  if (reply[0] === 'CORRUPT') throw corrupt(String(reply[1]));
  const [, atMs, call, results, answers, kept, held] = reply as [
    'OK',
    number,
    number,
    ResultReply[],
    AnswerReply[],
    [call: number, atMs: number, answers: AnswerReply[], plans: string, held: Micros[]][],
    Micros[],
  ];
  const now = answeredBy({ call, atMs, answers, held }, context, epoch);
  const byCall = new Map([[call, now]]);
  for (const [call, atMs, answers, plans, held] of kept) {
    byCall.set(call, answeredBy({ call, atMs, answers, held }, contextIn(plans), epoch));
  }
  const answered: Operation['source'][] = [];
  const found = results.map((result, at): StepResult => {
    if (result === 0) return { kind: 'published' };
    if (result === -1) return { kind: 'replan', atMs };
    const operation = operations[at];
    if (operation === undefined) throw new TypeError('more was answered than asked');
    if (typeof result === 'number') {
      answered.push(operation.source);
      return resultOf(now, result, operation.op, epoch, false);
    }
    const earlier = byCall.get(result[0]);
    if (earlier === undefined) throw new TypeError('a call was named whose answers were not given');
    return resultOf(earlier, result[1], operation.op, epoch, true);
  });
  shards.answered.note({ epoch, call, forgetAtMs: atMs + shards.replayMemoryMs }, answered);
  return found;
}

function answeredBy(reply: CallReply, context: CallContext, epoch: string): Answered {
  return { reply, decided: decidedIn(reply, context, epoch) };
}

function resultOf(
  { reply, decided }: Answered,
  index: number,
  op: Operation['op'],
  epoch: string,
  redelivered: boolean,
): StepResult {
  if (op === 'settle') return { kind: 'settled', facts: settledIn(reply, index, epoch), redelivered };
  return { kind: 'decided', ...decided(index), redelivered };
}

/**
 * Confirms the operations that are on the log now. Throws LEDGER_EPOCH_CHANGED if they were decided under another
 * epoch.
 */
export async function confirmTenant(
  shards: Shards,
  epoch: string,
  tenant: string,
  published: readonly Pick<Operation, 'source'>[],
): Promise<void> {
  const { calls, rest } = shards.answered.whole(epoch, published);
  const positions = rest.map(positionOf);
  await shards.askUnder(epoch, tenant, 'confirm', [
    JSON.stringify({ kept: shards.keptUnremembered, positions, calls }),
  ]);
}
