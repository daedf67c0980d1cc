/**
 * The law of turns: at most n calls of a kind are allowed in a turn, even if the ledger is lost and rebuilt from the
 * log several times. Each loss also loses decisions that were not on the log yet, and these are decided again.
 */
import { type ManualClock, manualClock } from '@mandate/runtime';
import type { StepRequest, TurnLimit } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFold, foldRecord } from '../fold/fold.ts';
import type { LedgerState } from '../memory/state.ts';
import type { Ledger, Operation } from '../port.ts';
import {
  confirmation,
  newSource,
  planOf,
  promptRequest,
  settleRequest,
  stepRequest,
  turn,
} from './builders.ts';
import { loseSome, type Played, playBatch } from './drive.ts';
import { recordsOf } from './records.ts';

/** Returns a ledger with this state, or an empty ledger. */
export type Restart = (clock: ManualClock, epoch: string, state: LedgerState | null) => Promise<Ledger>;

type Act =
  | { do: 'prompt'; id: string; attempt: number }
  | {
      do: 'call';
      agentId: string;
      id: string;
      counts: NonNullable<TurnLimit['counts']>;
      policies: number;
      asks: boolean;
    }
  | { do: 'fail'; back: number }
  | { do: 'redeliver'; back: number }
  | { do: 'grant'; back: number }
  | { do: 'pass'; ms: number }
  | { do: 'lose'; keeps: boolean[] };

const ids = fc.constantFrom('p0', 'p0', 'p1');
const back = fc.nat({ max: 5 });

function weighed<T>(...parts: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const act = weighed<Act>(
  [2, fc.record({ do: fc.constant('prompt'), id: ids, attempt: fc.constantFrom(1, 1, 2, 3) })],
  [
    10,
    fc.record({
      do: fc.constant('call'),
      agentId: fc.constantFrom('ann', 'bob', 'cleo'),
      id: ids,
      counts: fc.constantFrom('tool', 'tool', 'model'),
      policies: fc.constantFrom(1, 1, 2),
      asks: fc.constantFrom(false, false, false, true),
    }),
  ],
  [1, fc.record({ do: fc.constant('fail'), back })],
  [2, fc.record({ do: fc.constant('redeliver'), back })],
  [2, fc.record({ do: fc.constant('grant'), back })],
  [1, fc.record({ do: fc.constant('pass'), ms: fc.integer({ min: 1, max: 1_000 }) })],
  [1, fc.record({ do: fc.constant('lose'), keeps: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }) })],
);

export function lawOfTurns(restart: Restart, { numRuns }: { numRuns: number }): void {
  test('allows at most the maximum number of calls in a turn, whatever is lost and decided again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 5, maxLength: 40, size: 'max' }),
        fc.integer({ min: 1, max: 3 }),
        async (acts, most) => {
          const allowed = await allowedCalls(restart, acts, most);
          expect([...allowed.values()].filter((calls) => calls > most)).toEqual([]);
        },
      ),
      { numRuns },
    );
  });
}

/** Plays the acts, and returns the number of allowed calls by prompt and kind. */
async function allowedCalls(
  restart: Restart,
  acts: readonly Act[],
  most: number,
): Promise<Map<string, number>> {
  const clock = manualClock(1_000);
  let epochs = 1;
  let ledger = await restart(clock, 'epoch-1', null);
  const log: Played[] = [];
  /** The operations since the last loss. Those before are on the log. */
  let played: Played[] = [];
  const sent: Operation[] = [];
  const send = async (...batch: Operation[]) => {
    sent.push(...batch);
    played.push(...(await playBatch(ledger, batch)));
  };
  await send(promptOf('p0', 1, clock));
  for (const [at, one] of acts.entries()) {
    const known = 'back' in one ? sent.at(-1 - one.back) : undefined;
    if (one.do === 'prompt') await send(promptOf(one.id, one.attempt, clock));
    else if (one.do === 'call') await send(callOf(one, most, clock));
    else if (one.do === 'pass') clock.advance(one.ms);
    else if (one.do === 'redeliver' && known !== undefined) await send(known);
    else if (one.do === 'fail' && known?.op === 'decide')
      await send(settleRequest(known, { status: 'failure' }));
    else if (one.do === 'grant' && known?.op === 'decide') {
      const { tenant, agentId, actionId, digest } = known;
      const command = { id: `g${at}`, by: 'op', reason: 'r', tenant, agentId, actionId, digest };
      const approval = { ...command, answer: 'granted' as const, expiresAtMs: clock() + 5_000 };
      const receipt = await ledger.approve(approval).catch(() => null);
      if (receipt === null) continue;
      played.push({ did: 'approve', approval, receipt });
      await send({ ...known, source: newSource() });
    } else if (one.do === 'lose') {
      const { kept, again } = loseSome(played, cycle(one.keeps));
      log.push(...kept);
      await ledger.close();
      ledger = await restart(clock, `epoch-${++epochs}`, stateOfLog(log));
      played = await playBatch(ledger, again);
    }
  }
  await ledger.close();
  return countOf([...log, ...played]);
}

function promptOf(id: string, attempt: number, clock: ManualClock): StepRequest {
  return promptRequest({ agentId: 'ann', actionId: id, attempt, appendedAtMs: clock() });
}

function callOf(
  { agentId, id, counts, policies, asks }: Act & { do: 'call' },
  most: number,
  clock: ManualClock,
): StepRequest {
  const agents = agentId === 'ann' ? ['ann'] : [agentId, 'ann'];
  const limit = turn({ turnId: id, agents, counts, maxCalls: most, timeoutMs: null });
  const limits = [...new Array(policies).fill(limit), ...(asks ? [confirmation] : [])];
  return stepRequest({ agentId, appendedAtMs: clock(), plan: planOf({ limits }) });
}

/** Returns the fold of the log. The partition of the prompts is read last. */
function stateOfLog(log: readonly Played[]): LedgerState {
  const fold = createFold();
  const partitions = ['cleo', 'bob', 'ann'];
  const records = recordsOf(log, 'epoch-1');
  for (const [partition, agentId] of partitions.entries()) {
    records
      .filter(({ key }) => key.endsWith(agentId))
      .forEach(({ record }, offset) => {
        foldRecord(fold, { source: { partition, offset }, record: structuredClone(record) });
      });
  }
  return fold.state;
}

function countOf(played: readonly Played[]): Map<string, number> {
  const counted = new Map<string, Set<string>>();
  for (const each of played) {
    if (each.did !== 'step' || each.result.kind !== 'decided' || each.operation.op !== 'decide') continue;
    if (each.result.facts.leaseExpiresAtMs === null) continue;
    const [limit] = each.operation.plan.limits;
    if (limit?.kind !== 'turn') continue;
    const name = `${limit.turnId} ${limit.counts}`;
    const { topic, partition, offset } = each.operation.source;
    counted.set(name, (counted.get(name) ?? new Set()).add(`${topic} ${partition} ${offset}`));
  }
  return new Map([...counted].map(([name, calls]) => [name, calls.size]));
}

function* cycle(values: readonly boolean[]): Generator<boolean> {
  for (;;) yield* values;
}
