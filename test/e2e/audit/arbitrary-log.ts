/**
 * Random logs of decisions, as deciders, gateways and rebuilders may leave them: records that come again to the byte, or
 * were made again by another ledger, outcomes ahead of the decisions that they settle, rows of weeks ago, ledgers that
 * are rebuilt in the middle of it, and what cannot be read.
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
/** The generation of the ledger before the first that is rebuilt: one rebuilder at least can be overtaken. */
const FIRST_GENERATION = 2;

export const TENANTS = ['acme', 'globex'] as const;

/** As it is appended: by its agent's key, where no partition is named. */
export type Entry = { record: DecisionsRecord | Uint8Array; partition?: number };

const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

const delivery = fc.record({
  /** Made once more, as a ledger does that never heard of the first; null: the same record again. */
  anew: seldom(fc.record({ ruling: arbitraryRuling, laterMs: fc.nat(3 * HOUR_MS) })),
  /** The epoch that it was made in; null: that of the newest ledger. */
  madeIn: seldom(fc.integer({ min: FIRST_GENERATION, max: EPOCHS })),
});
/** Most are delivered once: where they are void, nothing else stands for them. */
const deliveries = fc.oneof(
  { weight: 3, arbitrary: fc.array(delivery, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(delivery, { minLength: 2, maxLength: 3, size: 'max' }) },
);
type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;

const request = fc.record({
  tenant: fc.constantFrom(TENANTS[0], TENANTS[0], TENANTS[1]),
  /** Most in so few hours that what was summed of them is touched again and again. */
  call: fc.oneof(
    { weight: 4, arbitrary: arbitraryCall(3 * HOUR_MS) },
    { weight: 1, arbitrary: arbitraryCall() },
  ),
  lateMs: seldom(fc.nat(40 * 24 * HOUR_MS)),
  /** About an action of one before it: once more under the same attempt, or as another attempt, or as another's action of that name. */
  follows: seldom(fc.record({ back: fc.nat(), isDuplicate: fc.boolean() })),
  decided: deliveries,
  settled: deliveries,
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

const rebuilt = fc.record({
  /** Another has rebuilt it meanwhile, under a higher generation. */
  isOvertaken: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  /** A rebuilder that died in between has told one partition alone. */
  partitions: fc.constantFrom([0, 1], [0, 1], [0], [1]),
});

type Placed =
  | { of: 'decision' | 'settlement'; index: number; delivery: Delivery }
  | { of: 'entry'; entry: Entry }
  | { of: 'rebuilt'; rebuilt: typeof rebuilt extends fc.Arbitrary<infer T> ? T : never };

/** In the order in which it is appended; of an agent that is the order of the log. */
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
    const { anew, madeIn } = one.delivery;
    const ledgerEpoch = `ep-${madeIn ?? generation}`;
    if (one.of === 'decision') {
      const decision = { ...decisionFor(request, attempt, anew), ledgerEpoch };
      return [{ record: { event: 'action.decided', decision } }];
    }
    const settlement = settlementFor(request, attempt, anew);
    if (settlement === null) return [];
    return [{ record: { event: 'action.settled', settlement: { ...settlement, ledgerEpoch } } }];
  });
}

/** The how manieth attempt at which action a request is. */
type Attempt = {
  index: number;
  tenant: string;
  agentId: Request['call']['agentId'];
  actionId: string;
  attempt: number;
  isDuplicate: boolean;
};

/** No ledger lets through the same attempt twice, so each is that of one request, and of its duplicates. */
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

function decisionFor({ call, lateMs }: Request, attempt: Attempt, anew: Delivery['anew']): Decision {
  const { index, tenant, agentId, actionId, isDuplicate } = attempt;
  const decision = decisionOf(tenant, index, {
    ...call,
    agentId,
    appendedAtMs: call.appendedAtMs - (lateMs ?? 0),
    ...(anew && { ruling: anew.ruling, delayMs: call.delayMs + anew.laterMs }),
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

/** The settlement of any decision: also if it was never an ALLOW, or is not on the log yet. */
function settlementFor(request: Request, attempt: Attempt, anew: Delivery['anew']): Settlement | null {
  const { settled } = request.call;
  if (settled === null || attempt.isDuplicate) return null;
  const decision = decisionFor(request, attempt, null);
  const laterMs = anew?.laterMs ?? 0;
  const { kind } = settled;
  return settlementOf(decision, {
    kind,
    deltaMicros:
      kind === 'settled' ? settled.delta - Math.min(decision.chargedMicros, 1_000_000) + laterMs : 0,
    settledAt: wireTime(Date.parse(decision.decidedAt) + settled.afterMs + laterMs),
  });
}
