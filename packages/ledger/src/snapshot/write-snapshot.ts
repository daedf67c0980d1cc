/** Writes a fold as a snapshot, one line at a time, so that memory never contains all deliveries as text. */
import { createHash } from 'node:crypto';
import { mapUnits } from '@mandate/schemas/core';
import { slidingBuckets, slotTimes } from '@mandate/step';
import { deliveriesIn, type Fold, isKeptByFold } from '../fold/fold.ts';
import { allCounters, allRates, type Counter, referenceOf } from '../memory/counters.ts';
import type { Deferral } from '../memory/deferral.ts';
import type { Charge, Lease, ProcessedDelivery, StoredDecision, TenantState } from '../memory/remembered.ts';
import type { LedgerState } from '../memory/state.ts';
import {
  SNAPSHOT_VERSION,
  type SnapshotLine,
  type StoredCharge,
  type StoredDeferral,
  type StoredDelivery,
  type StoredLease,
} from './snapshot-line.ts';

/** Yields JSON texts without line ends. The fold must not change until all lines are read. */
export function* writeSnapshot(fold: Fold): Generator<string> {
  const seal = createHash('sha256');
  let lines = 0;
  for (const line of snapshotLines(fold)) {
    const text = JSON.stringify(line);
    seal.update(text).update('\n');
    lines += 1;
    yield text;
  }
  const end: SnapshotLine = { line: 'end', lines, sha256: seal.digest('hex') };
  yield JSON.stringify(end);
}

function* snapshotLines(fold: Fold): Generator<SnapshotLine> {
  const { state } = fold;
  yield {
    line: 'snapshot',
    version: SNAPSHOT_VERSION,
    replayMemoryMs: state.replayMemoryMs,
    clockMs: state.clockMs,
    deliveries: deliveriesIn(fold),
    positions: [...fold.positions],
    digests: [...fold.digests],
    epochs: [...fold.epochs],
  };
  for (const flag of state.flags.values()) yield { line: 'flag', flag };
  for (const [id, done] of state.kills) yield { line: 'kill', id, ...done };
  for (const [id, done] of state.revives) yield { line: 'revive', id, ...done };
  const numbers = new Map<Counter, number>();
  for (const tenant of state.tenants.values()) yield* tenantLines(tenant, numbers, state);
  for (const delivery of deliveriesOf(state)) {
    const { agent, log, offset } = delivery;
    const isLatest = log.deliveries.get(offset) === delivery;
    if (!isLatest || !isKeptByFold(state, delivery)) continue;
    yield {
      line: 'delivery',
      tenant: agent.tenant.name,
      agentId: agent.id,
      delivery: stored(delivery, numbers),
    };
  }
  for (const [key, settlement] of state.pendingOutcomes) yield { line: 'pendingOutcome', key, settlement };
}

function* deliveriesOf({ forgetting, tenants }: LedgerState): Generator<ProcessedDelivery> {
  yield* forgetting.items.slice(forgetting.head);
  for (const { unremembered } of tenants.values()) yield* unremembered.items.slice(unremembered.head);
}

function* tenantLines(
  { name: tenant, sequence, agents, adjustments, approvals, grants, turns, counters }: TenantState,
  numbers: Map<Counter, number>,
  { clockMs: atMs, replayMemoryMs }: Pick<LedgerState, 'clockMs' | 'replayMemoryMs'>,
): Generator<SnapshotLine> {
  yield { line: 'tenant', tenant, sequence };
  for (const [id, done] of adjustments) yield { line: 'adjustment', tenant, id, ...done };
  for (const [id, done] of approvals) yield { line: 'approval', tenant, id, ...done };
  for (const { deferral, ...grant } of grants.values()) {
    yield { line: 'grant', tenant, grant: { ...grant, deferral: deferral && storedDeferral(deferral) } };
  }
  for (const { id: agentId, waiting } of agents.values()) {
    for (const deferral of waiting)
      yield { line: 'deferral', tenant, agentId, deferral: storedDeferral(deferral) };
  }
  // A fold keeps turns longer, because later records may say that a turn is remembered longer.
  for (const turn of turns.values()) {
    if (turn.forgetAtMs > atMs - replayMemoryMs) yield { line: 'turn', tenant, turn };
  }
  for (const counter of allCounters(counters)) {
    const { spent, sliding } = counter;
    const number = numbers.size;
    numbers.set(counter, number);
    const buckets = sliding === null ? [] : slidingBuckets(sliding, atMs);
    yield { line: 'budget', tenant, number, budget: referenceOf(counter), spent, buckets };
  }
  for (const rate of allRates(counters)) {
    const times = slotTimes(rate, atMs);
    if (times.length === 0) continue;
    const { agentId, tool, windowMs } = rate;
    yield { line: 'rate', tenant, agentId, tool, windowMs, times };
  }
}

function stored(delivery: ProcessedDelivery, numbers: ReadonlyMap<Counter, number>): StoredDelivery {
  const { log, offset } = delivery;
  const position: StoredDelivery['position'] = [log.topic, log.partition, offset];
  switch (delivery.kind) {
    case 'duplicate':
    case 'settled':
    case 'unremembered': {
      const { agent: _agent, log: _log, offset: _offset, unpublished: _unpublished, ...rest } = delivery;
      return { position, ...rest };
    }
    case 'first':
    case 'expired':
      return storedEntry(position, delivery, numbers);
  }
}

function storedEntry(
  position: StoredDelivery['position'],
  entry: StoredDecision,
  numbers: ReadonlyMap<Counter, number>,
): StoredDelivery {
  const {
    agent: _agent,
    log: _log,
    offset: _offset,
    unpublished: _unpublished,
    another: _another,
    ...rest
  } = entry;
  const { lease } = rest;
  return { position, ...rest, lease: lease === null ? null : storedLease(lease, numbers) };
}

function storedLease(lease: Lease, numbers: ReadonlyMap<Counter, number>): StoredLease {
  const { charges, units, ...rest } = lease;
  const stored = { ...rest, charges: storedCharges(charges, numbers) };
  if (units === undefined) return stored;
  const storedUnits = mapUnits(units, (its) => ({ ...its, charges: storedCharges(its.charges, numbers) }));
  return { ...stored, units: storedUnits };
}

function storedCharges(charges: readonly Charge[], numbers: ReadonlyMap<Counter, number>): StoredCharge[] {
  return charges.map(({ counter, most }) => {
    const number = numbers.get(counter);
    if (number === undefined) throw new TypeError('an entry charged a counter that its tenant does not have');
    return [number, most];
  });
}

function storedDeferral({ rates, ...deferral }: Deferral): StoredDeferral {
  return {
    ...deferral,
    rates: rates.map(({ agentId, tool, windowMs }) => ({ agentId, tool, windowMs })),
  };
}
