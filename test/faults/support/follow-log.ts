/**
 * Reads the log by one rule. On each partition, the epoch with the highest generation so far is in force, and
 * decisions and settlements of other epochs are void. Tests use this reader to check what is on the log. It shares no
 * code with Mandate's own reader.
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
import type { Api } from '../../e2e/distributed/support/server-plane.ts';
import type { Limits } from './agents-at-work.ts';

export type FollowedLog = {
  /** The valid decision about each action, by action id. All tenants use different ids. Throws if reading failed. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** The valid decision that used up the approval of a person, by action id. */
  readonly approved: ReadonlyMap<string, Decision>;
  readonly settlements: ReadonlyMap<string, Settlement>;
  /** The ids of the actions that have an outcome. */
  readonly settled: ReadonlySet<string>;
  /** The ALLOWs among the decisions. */
  readonly allowed: readonly Decision[];
  /**
   * The ids of the epochs, in the order in which they appeared first. Epochs that were overtaken by a newer one are
   * included.
   */
  readonly epochs: ReadonlySet<string>;
  /** Returns the number of records that a newer epoch made void. */
  voids(): number;
  deadLetters(): number;
  /** Returns the number of requests that were decided as duplicates of another request. */
  duplicates(): number;
  /** Returns the number of decisions that were published again with the same text. */
  repeats(): number;
  /** Returns the number of reported outcomes. */
  outcomes(): number;
  /** Returns the outcomes that did not find their ALLOW. There must be none. */
  lostOutcomes(): readonly Settlement[];
  /** Resolves when everything that is on the log now has been read. */
  caughtUp(): Promise<void>;
  /** Pairs of valid first decisions about the same action that differ. There must be none. */
  readonly contradictions: readonly { one: Decision; other: Decision }[];
};

const TOPICS_READ = [TOPICS.decisions, TOPICS.deadLetters];

/**
 * Reads the log until the end of the test. `report` returns an agent's report about an ALLOW after the agent has
 * acted.
 */
export async function followLog(bus: Bus, report?: (allowed: Decision) => Outgoing): Promise<FollowedLog> {
  const decisions = new Map<string, Decision>();
  const approved = new Map<string, Decision>();
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

  /** Stores a decision. Returns true if no decision about its action was known before. */
  function noteDecision(decision: Decision): boolean {
    if (!standsForAction(decision.kind)) {
      duplicates.add(decision.id);
      return false;
    }
    const kept = decision.grantConsumed ? approved : decisions;
    const known = kept.get(decision.actionId);
    if (known === undefined) {
      kept.set(decision.actionId, decision);
      if (decision.verdict === 'ALLOW') allowed.push(decision);
      return true;
    }
    // Another decider has taken over the partition and answered the same delivery again. The answer has the same
    // text.
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
    approved,
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

/** Returns a reader that knows the epoch in force on each partition, up to the last record that it has read. */
export function readEpochs() {
  const inForce = new Map<number, LedgerEpoch['epoch']>();
  return {
    begin(partition: number, epoch: LedgerEpoch['epoch']): void {
      if ((epoch.generation ?? 0) > (inForce.get(partition)?.generation ?? 0)) inForce.set(partition, epoch);
    },
    isVoid: (partition: number, epoch: string): boolean => (inForce.get(partition)?.id ?? epoch) !== epoch,
  };
}

/**
 * Appends records, and tries again until the log accepts them. Agents do the same while the log is away. If an append
 * succeeds but its answer is lost, the log has the records twice.
 */
export function appendUntilTaken(bus: Bus, records: readonly Outgoing[]): Promise<readonly Acknowledged[]> {
  return waitUntil(
    'the log to take it',
    () => bus.append(TOPICS.actions, records).catch(orFalseIfPassing),
    120_000,
  );
}

/** Publishes over HTTP. If a request is refused because the log is away, sends it again with the same ids. */
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

/**
 * Expects that no budget was ever exceeded, and that the tenant's budget was used up. Otherwise the test would not
 * have tested the budgets.
 */
export function expectWithin(limits: Limits, log: FollowedLog): void {
  expectNotExceeded(limits, log);
  expect(highestSpend(log).tenantMicros).toBeGreaterThan(0.99 * limits.tenantMicros);
}

export function expectNotExceeded(limits: Limits, log: FollowedLog): void {
  const { agentMicros, tenantMicros } = highestSpend(log);
  expect(agentMicros).toBeLessThanOrEqual(limits.agentMicros);
  expect(tenantMicros).toBeLessThanOrEqual(limits.tenantMicros);
}

/**
 * Expects that each agent's requests were decided in the order in which they were sent, on the log and in the ledger.
 */
export function expectInOrder({ decisions }: FollowedLog): void {
  const wrong = [...Map.groupBy(decisions.values(), ({ agentId }) => agentId).values()].filter(
    (ofAgent) =>
      !rises(ofAgent, ({ source }) => source.offset) || !rises(ofAgent, (each) => each.ledgerSequence),
  );
  expect(wrong.map((ofAgent) => ofAgent.map(({ actionId }) => actionId))).toEqual([]);
}

function rises(decisions: readonly Decision[], by: (decision: Decision) => number): boolean {
  return decisions.every((each, at) => at === 0 || by(each) > by(decisions[at - 1] ?? each));
}

/**
 * True if a hundred actions were refused. One refusal is not enough, because outcomes give a part of the budget back.
 */
export function isUsedUp({ decisions }: FollowedLog): boolean {
  let refused = 0;
  for (const { code } of decisions.values()) if (code === 'COST_LIMIT_EXCEEDED') refused += 1;
  return refused >= 100;
}

/**
 * Adds up charges and settlements in the order of their ledger sequences. Returns the highest amount that an agent
 * had spent at any time, and the same for a tenant.
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

/** Resolves when the reader has read what is on these topics now. */
export async function readToTheEnd(bus: Bus, reader: Reader, topics: readonly string[]): Promise<void> {
  const ranges = (await Promise.all(topics.map((topic) => bus.ranges(topic)))).flat();
  await waitUntil('the reader to be there', () => {
    const positions = reader.positions();
    return ranges.every(
      ({ topic, partition, endOffset }) => (positions[`${topic}/${partition}`] ?? 0) >= endOffset,
    );
  });
}
