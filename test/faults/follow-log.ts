/**
 * The log as a reader has it who knows one rule: a decision or settlement of another epoch than that of the highest
 * generation before it on its partition is void. What tests hold to be true of the log is asked here, by other means than
 * the fold's.
 */
import type { Acknowledged, Bus, LogRecord, Outgoing, Reader } from '@mandate/bus';
import { isMandateError } from '@mandate/runtime';
import {
  type Decision,
  type LedgerEpoch,
  readDecisionsRecord,
  type Settlement,
  standsForAction,
  TOPICS,
} from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished } from 'vitest';
import type { Api } from '../e2e/distributed/server-plane.ts';
import type { Limits } from './agents-at-work.ts';

export type FollowedLog = {
  /** The one that stands for each action, by its id; ids are given once among all tenants. Throws once reading failed. */
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly settlements: ReadonlyMap<string, Settlement>;
  /** Ids of the actions of which an outcome was taken. */
  readonly settled: ReadonlySet<string>;
  /** The ALLOWs among them. */
  readonly allowed: readonly Decision[];
  /** Ids, in the order in which they were first seen; those that were overtaken are among them. */
  readonly epochs: ReadonlySet<string>;
  /** Records that a newer epoch made void. */
  voids(): number;
  deadLetters(): number;
  /** Deliveries that were told that another was decided before. */
  duplicates(): number;
  /** Decisions that were published again, word for word. */
  repeats(): number;
  /** Outcomes that were reported for what was allowed. */
  outcomes(): number;
  /** What must never be: outcomes that did not find the ALLOW that they tell of. */
  lostOutcomes(): readonly Settlement[];
  /** Resolves once everything that is on the log now was seen. */
  caughtUp(): Promise<void>;
  /** What must never be: two valid first decisions that differ on one action. */
  readonly contradictions: readonly { one: Decision; other: Decision }[];
};

const TOPICS_READ = [TOPICS.decisions, TOPICS.deadLetters];

/** Follows it to the end of the test. `report`: what an agent says of an ALLOW that it has carried out. */
export async function followLog(bus: Bus, report?: (allowed: Decision) => Outgoing): Promise<FollowedLog> {
  const decisions = new Map<string, Decision>();
  const settlements = new Map<string, Settlement>();
  const settled = new Set<string>();
  const duplicates = new Set<string>();
  const allowed: Decision[] = [];
  const epochs = new Set<string>();
  const contradictions: { one: Decision; other: Decision }[] = [];
  const inForce = readEpochs();
  let voids = 0;
  let deadLetters = 0;
  let repeats = 0;
  let outcomes = 0;

  /** Whether it is the first of its action. */
  function noteDecision(decision: Decision): boolean {
    if (!standsForAction(decision.kind)) {
      duplicates.add(decision.id);
      return false;
    }
    const known = decisions.get(decision.actionId);
    if (known === undefined) {
      decisions.set(decision.actionId, decision);
      if (decision.verdict === 'ALLOW') allowed.push(decision);
      return true;
    }
    // The same delivery, answered again by the decider that took over: word for word.
    if (JSON.stringify(known) === JSON.stringify(decision)) repeats++;
    else contradictions.push({ one: known, other: decision });
    return false;
  }

  async function onRecords(records: readonly LogRecord[]): Promise<void> {
    const reports: Outgoing[] = [];
    for (const { position, value } of records) {
      if (position.topic === TOPICS.deadLetters) {
        deadLetters++;
        continue;
      }
      const { partition } = position;
      const record = readDecisionsRecord(value);
      if (record.event === 'ledger.epoch') {
        inForce.begin(partition, record.epoch);
        epochs.add(record.epoch.id);
      } else if (record.event === 'action.decided') {
        const { decision } = record;
        if (inForce.isVoid(partition, decision.ledgerEpoch)) voids++;
        else if (noteDecision(decision) && decision.verdict === 'ALLOW' && report)
          reports.push(report(decision));
      } else if (record.event === 'action.settled') {
        const { settlement } = record;
        if (inForce.isVoid(partition, settlement.ledgerEpoch)) voids++;
        else if (!settlements.has(settlement.id)) {
          settlements.set(settlement.id, settlement);
          settled.add(settlement.actionId);
        }
      }
    }
    if (reports.length > 0) await appendUntilTaken(bus, reports);
    outcomes += reports.length;
  }

  const reader = await bus.read({
    topics: TOPICS_READ,
    from: 'earliest',
    onRecords,
  });
  let failure: { error: unknown } | undefined;
  reader.finished.catch((error: unknown) => {
    failure = { error };
  });
  onTestFinished(() => reader.stop());
  return {
    get decisions() {
      if (failure !== undefined) throw failure.error;
      return decisions;
    },
    settlements,
    settled,
    allowed,
    epochs,
    contradictions,
    caughtUp: () => readToTheEnd(bus, reader, TOPICS_READ),
    lostOutcomes: () =>
      [...settlements.values()].filter(({ kind }) => kind === 'unknown' || kind === 'not_allowed'),
    voids: () => voids,
    deadLetters: () => deadLetters,
    duplicates: () => duplicates.size,
    repeats: () => repeats,
    outcomes: () => outcomes,
  };
}

/** Which epoch holds on each partition. */
export function readEpochs() {
  const inForce = new Map<number, LedgerEpoch['epoch']>();
  return {
    begin(partition: number, epoch: LedgerEpoch['epoch']): void {
      if ((epoch.generation ?? 0) > (inForce.get(partition)?.generation ?? 0)) inForce.set(partition, epoch);
    },
    isVoid: (partition: number, epoch: string): boolean => (inForce.get(partition)?.id ?? epoch) !== epoch,
  };
}

/** As agents do while the log is away; an outcome that it had taken already comes twice. */
export function appendUntilTaken(bus: Bus, records: readonly Outgoing[]): Promise<readonly Acknowledged[]> {
  return waitUntil(
    'the log to take it',
    () => bus.append(TOPICS.actions, records).catch(orFalseIfPassing),
    120_000,
  );
}

/** The same over HTTP: what is refused, as the log is away, is sent again under the same ids. */
export async function postUntilTaken(api: Api, actions: readonly object[]): Promise<void> {
  const post = () => api.post('/v1/actions', actions).then(() => true);
  await waitUntil(
    'the gateway to take it',
    () =>
      post().catch((error: unknown) => {
        if (error instanceof Error && 'status' in error && error.status === 503) return false;
        throw error;
      }),
    120_000,
  );
}

function orFalseIfPassing(error: unknown): false {
  if (isMandateError(error) && error.retryable) return false;
  throw error;
}

/** That no budget was exceeded at any moment, and that they were put to the test: the tenant's was used up. */
export function expectWithin(limits: Limits, log: FollowedLog): void {
  expectNotExceeded(limits, log);
  expect(highestSpend(log).tenantMicros).toBeGreaterThan(0.99 * limits.tenantMicros);
}

export function expectNotExceeded(limits: Limits, log: FollowedLog): void {
  const { agentMicros, tenantMicros } = highestSpend(log);
  expect(agentMicros).toBeLessThanOrEqual(limits.agentMicros);
  expect(tenantMicros).toBeLessThanOrEqual(limits.tenantMicros);
}

/** That an agent's requests were decided in the order in which they were asked: on the log, and in the ledger. */
export function expectInOrder({ decisions }: FollowedLog): void {
  const wrong = [...Map.groupBy(decisions.values(), ({ agentId }) => agentId).values()].filter(
    (ofAgent) =>
      !rises(ofAgent, ({ source }) => Number(source.offset)) ||
      !rises(ofAgent, (each) => each.ledgerSequence),
  );
  expect(wrong.map((ofAgent) => ofAgent.map(({ actionId }) => actionId))).toEqual([]);
}

function rises(decisions: readonly Decision[], by: (decision: Decision) => number): boolean {
  return decisions.every((each, at) => at === 0 || by(each) > by(decisions[at - 1] ?? each));
}

/** Settled outcomes give some of it back: used up is what refused a hundred. */
export function isUsedUp({ decisions }: FollowedLog): boolean {
  let refused = 0;
  for (const { code } of decisions.values()) if (code === 'COST_LIMIT_EXCEEDED') refused += 1;
  return refused >= 100;
}

/**
 * The most that any agent, and any tenant, ever had spent: charges and settlements added up in the order in which the
 * ledger took them, which is that of their sequences.
 */
function highestSpend({ decisions, settlements }: FollowedLog): {
  agentMicros: number;
  tenantMicros: number;
} {
  const bookings = [
    ...[...decisions.values()].map((each) => ({ ...each, micros: each.chargedMicros })),
    ...[...settlements.values()].map((each) => ({ ...each, micros: each.deltaMicros })),
  ].sort((one, other) => one.ledgerSequence - other.ledgerSequence);
  const highest = { agentMicros: 0, tenantMicros: 0 };
  const spent = new Map<string, number>();
  const book = (name: string, micros: number) => {
    const sum = (spent.get(name) ?? 0) + micros;
    spent.set(name, sum);
    return sum;
  };
  for (const { tenant, agentId, micros } of bookings) {
    highest.agentMicros = Math.max(highest.agentMicros, book(`${tenant}/${agentId}`, micros));
    highest.tenantMicros = Math.max(highest.tenantMicros, book(tenant, micros));
  }
  return highest;
}

/** Resolves once it has read what is on these topics now. */
export async function readToTheEnd(bus: Bus, reader: Reader, topics: readonly string[]): Promise<void> {
  const ranges = (await Promise.all(topics.map((topic) => bus.ranges(topic)))).flat();
  await waitUntil('the reader to be there', () => {
    const positions = reader.positions();
    return ranges.every(
      ({ topic, partition, endOffset }) => (positions[`${topic}/${partition}`] ?? 0) >= endOffset,
    );
  });
}
