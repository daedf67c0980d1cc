/**
 * Random logs of decisions, as deciders, gateways and rebuilders may leave them. The logs contain exact repetitions,
 * decisions that another ledger made again, and outcomes before their decisions. They also contain records that are
 * weeks old, rebuilds in the middle, and unreadable records.
 */
import {
  adjustmentOf,
  arbitraryAdjustment,
  arbitraryCall,
  arbitraryRuling,
  decisionOf,
  settlementOf,
} from '@mandate/audit/contract';
import { type Decision, type DecisionsRecord, type Settlement, wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { epochBegan } from './log-records.ts';

const HOUR_MS = 3_600_000;
const EPOCHS = 4;
/**
 * The generation of the ledger before the first rebuild. It is above 1, so that a rebuilder can have a lower
 * generation.
 */
const FIRST_GENERATION = 2;

export const TENANTS = ['acme', 'globex'] as const;

/** A record to append, and its partition. If no partition is given, the key of the record's agent determines it. */
export type Entry = { record: DecisionsRecord | Uint8Array; partition?: number };

const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

const delivery = fc.record({
  /**
   * A second decision about the same request, by a ledger that does not know the first decision. Null: the same
   * record is delivered again.
   */
  madeAgain: seldom(fc.record({ ruling: arbitraryRuling, laterMs: fc.nat(3 * HOUR_MS) })),
  /** The epoch of the ledger that made the record. Null: the newest epoch. */
  madeIn: seldom(fc.integer({ min: FIRST_GENERATION, max: EPOCHS })),
});
/** Most records are delivered once. So many void records have no valid copy. */
const deliveries = fc.oneof(
  { weight: 3, arbitrary: fc.array(delivery, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(delivery, { minLength: 2, maxLength: 3, size: 'max' }) },
);
type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;

const request = fc.record({
  tenant: fc.constantFrom(TENANTS[0], TENANTS[0], TENANTS[1]),
  /**
   * The times of most calls are in the same three hours. So later records often change rollups that exist already.
   */
  call: fc.oneof(
    { weight: 4, arbitrary: arbitraryCall(3 * HOUR_MS) },
    { weight: 1, arbitrary: arbitraryCall() },
  ),
  lateMs: seldom(fc.nat(40 * 24 * HOUR_MS)),
  /**
   * The request repeats an earlier action: a duplicate of the same attempt, another attempt, or an action of another
   * agent with the same id.
   */
  follows: seldom(fc.record({ back: fc.nat(), isDuplicate: fc.boolean() })),
  decided: deliveries,
  settled: deliveries,
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

const rebuilt = fc.record({
  /** True if another rebuilder with a higher generation has finished meanwhile. */
  isOvertaken: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  /** The partitions with the record of the new epoch. Only one of them has it if the rebuilder died in the middle. */
  partitions: fc.constantFrom([0, 1], [0, 1], [0], [1]),
});

type Placed =
  | { of: 'decision' | 'settlement'; index: number; delivery: Delivery }
  | { of: 'entry'; entry: Entry }
  | { of: 'rebuilt'; rebuilt: typeof rebuilt extends fc.Arbitrary<infer T> ? T : never };

/**
 * Generates the entries of a log in the order in which they are appended. The entries of each agent are also in this
 * order on the log.
 */
export const arbitraryLog: fc.Arbitrary<Entry[]> = fc
  .tuple(
    fc.array(request, { minLength: 10, maxLength: 40, size: 'max' }),
    fc.array(fc.tuple(arbitraryAdjustment, fc.constantFrom(...TENANTS), fc.boolean()), { maxLength: 4 }),
    fc.array(rebuilt, { minLength: 1, maxLength: EPOCHS, size: 'max' }),
    fc.nat(2),
  )
  .chain(([requests, adjustments, rebuilds, unreadable]) => {
    const placed: Placed[] = [
      ...requests.flatMap(({ decided, settled }, index) => [
        ...decided.map((delivery) => ({ of: 'decision' as const, index, delivery })),
        ...settled.map((delivery) => ({ of: 'settlement' as const, index, delivery })),
      ]),
      ...adjustments.flatMap(([adjusted, tenant, isTwice], index) => {
        const entry: Entry = { record: adjustmentOf(tenant, index, adjusted) };
        return (isTwice ? [entry, entry] : [entry]).map((entry) => ({ of: 'entry' as const, entry }));
      }),
      ...rebuilds.map((rebuilt) => ({ of: 'rebuilt' as const, rebuilt })),
      ...Array.from({ length: unreadable }, (_, partition) => ({
        of: 'entry' as const,
        entry: { record: Buffer.from('{'), partition: partition % 2 },
      })),
    ];
    const shuffled = fc.shuffledSubarray(placed, { minLength: placed.length });
    return shuffled.map((placed) => entriesOf(requests, placed));
  });

function entriesOf(requests: readonly Request[], placed: readonly Placed[]): Entry[] {
  const attempts = attemptsOf(requests);
  let generation = FIRST_GENERATION;
  return placed.flatMap((one, place): Entry[] => {
    if (one.of === 'entry') return [one.entry];
    if (one.of === 'rebuilt') {
      const { isOvertaken, partitions } = one.rebuilt;
      if (!isOvertaken) generation += 1;
      const record = isOvertaken
        ? epochBegan(`overtaken-${place}`, generation - 1)
        : epochBegan(`ep-${generation}`, generation);
      return partitions.map((partition) => ({ record, partition }));
    }
    const { request, attempt } = attempts[one.index] ?? {};
    if (request === undefined || attempt === undefined) return [];
    const { madeAgain, madeIn } = one.delivery;
    const ledgerEpoch = `ep-${madeIn ?? generation}`;
    if (one.of === 'decision') {
      const decision = { ...decisionFor(request, attempt, madeAgain), ledgerEpoch };
      return [{ record: { event: 'action.decided', decision } }];
    }
    const settlement = settlementFor(request, attempt, madeAgain);
    if (settlement === null) return [];
    return [{ record: { event: 'action.settled', settlement: { ...settlement, ledgerEpoch } } }];
  });
}

/** The action of a request, and the number of the attempt. */
type Attempt = {
  index: number;
  tenant: string;
  agentId: Request['call']['agentId'];
  actionId: string;
  attempt: number;
  isDuplicate: boolean;
};

/**
 * Gives each request an attempt. Only a request and its duplicates share an attempt, because no ledger allows the
 * same attempt twice.
 */
function attemptsOf(requests: readonly Request[]): { request: Request; attempt: Attempt }[] {
  const all: { request: Request; attempt: Attempt }[] = [];
  for (const [index, request] of requests.entries()) {
    const { tenant, call, follows } = request;
    const { agentId } = call;
    const before = follows === null ? undefined : all[follows.back % Math.max(1, index)]?.attempt;
    if (before !== undefined && follows?.isDuplicate) {
      all.push({ request, attempt: { ...before, index, isDuplicate: true } });
      continue;
    }
    const actionId = before?.actionId ?? `act-${index}`;
    const own = { tenant, agentId, actionId };
    const attempt = 1 + all.filter((one) => !one.attempt.isDuplicate && isAbout(one.attempt, own)).length;
    all.push({ request, attempt: { ...own, index, attempt, isDuplicate: false } });
  }
  return all;
}

function isAbout(
  one: Attempt,
  { tenant, agentId, actionId }: Pick<Attempt, 'tenant' | 'agentId' | 'actionId'>,
): boolean {
  return one.tenant === tenant && one.agentId === agentId && one.actionId === actionId;
}

function decisionFor(
  { call, lateMs }: Request,
  attempt: Attempt,
  madeAgain: Delivery['madeAgain'],
): Decision {
  const { index, tenant, agentId, actionId, isDuplicate } = attempt;
  const decision = decisionOf(tenant, index, {
    ...call,
    agentId,
    appendedAtMs: call.appendedAtMs - (lateMs ?? 0),
    ...(madeAgain && { ruling: madeAgain.ruling, delayMs: call.delayMs + madeAgain.laterMs }),
  });
  const action = { ...decision.action, id: actionId };
  const own = { ...decision, actionId, attempt: attempt.attempt, action };
  if (!isDuplicate) return own;
  const refused = { verdict: 'BLOCK', code: 'DUPLICATE_ACTION' } as const;
  const observed = { verdict: 'ALLOW', code: 'ALLOWED', observed: refused } as const;
  const ruling = call.team ? observed : { ...refused, observed: null };
  return {
    ...own,
    kind: 'duplicate',
    ...ruling,
    chargedMicros: 0,
    cumulativeMicros: 0,
    reservation: null,
  };
}

/** Returns the settlement of any decision, even if it was not an ALLOW or is not on the log yet. */
function settlementFor(
  request: Request,
  attempt: Attempt,
  madeAgain: Delivery['madeAgain'],
): Settlement | null {
  const { settled } = request.call;
  if (settled === null || attempt.isDuplicate) return null;
  const decision = decisionFor(request, attempt, null);
  const laterMs = madeAgain?.laterMs ?? 0;
  const { kind } = settled;
  return settlementOf(decision, {
    kind,
    deltaMicros:
      kind === 'settled' ? settled.delta - Math.min(decision.chargedMicros, 1_000_000) + laterMs : 0,
    settledAt: wireTime(Date.parse(decision.decidedAt) + settled.afterMs + laterMs),
  });
}
