/** Restores a fold from its snapshot. The caller then folds the later records of the log, from `positions` on. */
import { createHash } from 'node:crypto';
import { MandateError } from '@mandate/runtime';
import { mapUnits } from '@mandate/schemas/core';
import { addToSlidingSum, bucketStartMs, takeSlot, turnKey } from '@mandate/step';
import { createFold, type Fold } from '../fold/fold.ts';
import { claim, mayReplace, openAgent } from '../memory/agents.ts';
import { type Counter, openCounter, openRate } from '../memory/counters.ts';
import type { Deferral } from '../memory/deferral.ts';
import { beginWaiting } from '../memory/deferrals.ts';
import { mergeFlag } from '../memory/flags.ts';
import { remember, rememberBriefly } from '../memory/forget.ts';
import { putGrant } from '../memory/grants.ts';
import { openPartition } from '../memory/log-positions.ts';
import { keepPendingOutcome } from '../memory/out-of-order-outcomes.ts';
import type { AgentState, Charge, Lease, StoredDecision, TenantState } from '../memory/remembered.ts';
import { shareCharges, shareUnitCharges } from '../memory/reserve.ts';
import { type LedgerState, openTenant } from '../memory/state.ts';
import {
  SNAPSHOT_VERSION,
  type SnapshotHead,
  type SnapshotLine,
  type StoredCharge,
  type StoredDeferral,
  type StoredLease,
} from './snapshot-line.ts';

/**
 * Reads the lines of `writeSnapshot`, without line ends. Throws SNAPSHOT_UNREADABLE if the snapshot has another
 * version, is incomplete or was changed. Then the log is folded from its start.
 */
export async function readSnapshot(lines: Iterable<string> | AsyncIterable<string>): Promise<Fold> {
  const seal = createHash('sha256');
  let reading: Reading | null = null;
  let count = 0;
  for await (const text of lines) {
    const line = parse(text);
    if (line.line === 'end') {
      if (reading === null || line.lines !== count || line.sha256 !== seal.digest('hex')) break;
      return reading.fold;
    }
    seal.update(text).update('\n');
    count += 1;
    if (reading === null) reading = begin(line);
    else take(reading, line);
  }
  throw unreadable('it is cut short, or was changed');
}

/**
 * Returns the positions of a snapshot from its first line. Throws SNAPSHOT_UNREADABLE if the line is not a head, or
 * has another version.
 */
export function readSnapshotHead(text: string): Pick<Fold, 'positions' | 'digests'> & { deliveries: number } {
  const { positions, digests, deliveries } = headOf(parse(text));
  return { positions: new Map(positions), digests: new Map(digests), deliveries };
}

/** The state that was read so far. `counters` has each counter by the number that later lines use. */
type Reading = { fold: Fold; counters: Map<number, Counter> };

function headOf(line: SnapshotLine): SnapshotHead {
  if (line.line === 'snapshot' && line.version === SNAPSHOT_VERSION) return line;
  throw unreadable(`it is not of version ${SNAPSHOT_VERSION}`);
}

function begin(line: SnapshotLine): Reading {
  const head = headOf(line);
  const fold = createFold({ replayMemoryMs: head.replayMemoryMs });
  fold.state.clockMs = head.clockMs;
  for (const [partition, offset] of head.positions) fold.positions.set(partition, offset);
  for (const [partition, digest] of head.digests) fold.digests.set(partition, digest);
  for (const [partition, epoch] of head.epochs) fold.epochs.set(partition, epoch);
  return { fold, counters: new Map() };
}

function take({ fold, counters }: Reading, line: SnapshotLine): void {
  const { state } = fold;
  switch (line.line) {
    case 'flag':
      mergeFlag(state.flags, line.flag);
      break;
    case 'kill':
      state.kills.set(line.id, { answer: line.answer, forgetAtMs: line.forgetAtMs });
      break;
    case 'revive':
      state.revives.set(line.id, { answer: line.answer, forgetAtMs: line.forgetAtMs });
      break;
    case 'tenant':
      openTenant(state, line.tenant).sequence = line.sequence;
      break;
    case 'adjustment':
      openTenant(state, line.tenant).adjustments.set(line.id, {
        answer: line.answer,
        forgetAtMs: line.forgetAtMs,
      });
      break;
    case 'approval':
      openTenant(state, line.tenant).approvals.set(line.id, {
        answer: line.answer,
        forgetAtMs: line.forgetAtMs,
      });
      break;
    case 'grant':
      takeGrant(state, line);
      break;
    case 'deferral': {
      const tenant = openTenant(state, line.tenant);
      const deferral = restoreDeferral(line.deferral, tenant);
      beginWaiting(openAgent(tenant, line.agentId), deferral, deferral.atMs);
      break;
    }
    case 'budget':
      counters.set(line.number, takeCounter(state, line));
      break;
    case 'rate': {
      const rate = openRate(openTenant(state, line.tenant).counters, line);
      for (const atMs of line.times) takeSlot(rate, atMs, state.clockMs);
      break;
    }
    case 'turn':
      openTenant(state, line.tenant).turns.set(turnKey(line.turn.agentId, line.turn.id), line.turn);
      break;
    case 'delivery':
      takeDelivery(state, counters, line);
      break;
    case 'pendingOutcome':
      keepPendingOutcome(state, line.key, line.settlement);
      break;
    case 'snapshot':
    case 'end':
      throw unreadable('it has a second head');
  }
}

function takeGrant(state: LedgerState, { tenant: name, grant }: SnapshotLine & { line: 'grant' }): void {
  const tenant = openTenant(state, name);
  const deferral = grant.deferral === null ? null : restoreDeferral(grant.deferral, tenant);
  putGrant(tenant.grants, { ...grant, deferral }, state.clockMs);
}

function restoreDeferral({ rates, ...deferral }: StoredDeferral, { counters }: TenantState): Deferral {
  return { ...deferral, rates: rates.map((rate) => openRate(counters, rate)) };
}

function takeCounter(state: LedgerState, line: SnapshotLine & { line: 'budget' }): Counter {
  const counter = openCounter(openTenant(state, line.tenant).counters, line.budget);
  const { sliding } = counter;
  if (sliding === null) {
    counter.spent = line.spent;
    return counter;
  }
  for (const [bucket, amount] of line.buckets) {
    addToSlidingSum(sliding, bucketStartMs(sliding.windowMs, bucket), amount, state.clockMs);
  }
  return counter;
}

function takeDelivery(
  state: LedgerState,
  counters: ReadonlyMap<number, Counter>,
  line: SnapshotLine & { line: 'delivery' },
): void {
  const agent = openAgent(openTenant(state, line.tenant), line.agentId);
  const { position, ...rest } = line.delivery;
  const [topic, partition, offset] = position;
  const log = openPartition(state.positions, topic, partition);
  if (rest.kind === 'unremembered') {
    rememberBriefly(state, { agent, log, offset, ...rest, unpublished: null });
    return;
  }
  if (rest.kind === 'duplicate' || rest.kind === 'settled') {
    remember(state, { agent, log, offset, ...rest, unpublished: null });
    return;
  }
  const lease = rest.lease === null ? null : restoreLease(rest.lease, agent, counters);
  const entry: StoredDecision = { agent, log, offset, ...rest, lease, unpublished: null, another: null };
  remember(state, entry);
  if (mayReplace(agent, entry)) claim(agent, entry);
}

function restoreLease(lease: StoredLease, agent: AgentState, counters: ReadonlyMap<number, Counter>): Lease {
  const { charges, units, ...rest } = lease;
  const restored = { ...rest, charges: shareCharges(agent, chargesIn(charges, counters)) };
  if (units === undefined) return restored;
  const restoredUnits = mapUnits(units, (its, unit) => ({
    ...its,
    charges: shareUnitCharges(agent, unit, chargesIn(its.charges, counters)),
  }));
  return { ...restored, units: restoredUnits };
}

function chargesIn(charges: readonly StoredCharge[], counters: ReadonlyMap<number, Counter>): Charge[] {
  return charges.map(([number, most]) => {
    const counter = counters.get(number);
    if (counter === undefined) throw unreadable('an entry names a counter that it does not hold');
    return { counter, most };
  });
}

/** Parses a line without checking it. The checks at the end of the snapshot detect a damaged line. */
function parse(text: string): SnapshotLine {
  try {
    return JSON.parse(text) as SnapshotLine;
  } catch (cause) {
    throw unreadable('a line of it is not JSON', cause);
  }
}

function unreadable(why: string, cause?: unknown): MandateError {
  return new MandateError('SNAPSHOT_UNREADABLE', `The snapshot cannot be read: ${why}.`, {
    remedy: 'Fold the log from its start, and write a new snapshot of that fold.',
    cause,
  });
}
