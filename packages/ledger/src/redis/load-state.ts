/** Converts a folded state to lines for load.lua and load-registry.lua: plain data in the format of the scripts. */
import { type CounterUnit, UNBOUND_SETTLING, unitsIn } from '@mandate/schemas/core';
import { openCallsOf, releasedOf, slidingBuckets, slotTimes } from '@mandate/step';
import { attemptsOf } from '../memory/agents.ts';
import type { Done } from '../memory/commands.ts';
import { allCounters, allRates } from '../memory/counters.ts';
import type { Deferral } from '../memory/deferral.ts';
import { isForgotten } from '../memory/deliveries.ts';
import { type Flag, flagKey } from '../memory/flags.ts';
import { sourceOf } from '../memory/log-positions.ts';
import type {
  Charge,
  Lease,
  PendingOutcome,
  ProcessedDelivery,
  StoredDecision,
  TenantState,
  UnitLease,
} from '../memory/remembered.ts';
import type { LedgerState } from '../memory/state.ts';
import { counterName, grantName, ownCounters, positionOf, rateName } from './keys.ts';
import { listOf } from './open-list.ts';
import { type Charged, requestWords, unitWord } from './scripts/field-encoding.ts';
import { LIMIT_KIND } from './scripts/layout.ts';
import { turnText } from './scripts/turn-words.ts';

/** `weight`: the work for this line, as a number of ordinary lines. */
export type ShardLine = { tenant: string; line: unknown[]; weight: number };

/** The maximum number of call times of one rate in a line. */
const TIMES_A_LINE = 500;

export function* linesOf(state: LedgerState): Generator<ShardLine> {
  const { clockMs } = state;
  for (const [tenant, line] of linesByTenant(state)) {
    yield { tenant, line, weight: 1 };
  }
  for (const { name: tenant, counters } of state.tenants.values()) {
    for (const counter of allCounters(counters)) {
      const { sliding, spent } = counter;
      const name = counterName(counter);
      if (sliding === null) {
        if (spent !== 0) yield { tenant, line: ['spent', name, spent], weight: 1 };
        continue;
      }
      const buckets = slidingBuckets(sliding, clockMs);
      if (buckets.length === 0) continue;
      const line = ['window', name, sliding.windowMs, buckets];
      yield { tenant, line, weight: buckets.length };
    }
    for (const rate of allRates(counters)) {
      const calls = callsByTime(slotTimes(rate, clockMs));
      for (let from = 0; from < calls.length; from += TIMES_A_LINE) {
        const some = calls.slice(from, from + TIMES_A_LINE);
        yield { tenant, line: ['rate', rateName(rate), rate.windowMs, some], weight: some.length };
      }
    }
  }
}

/** Returns the number of calls at each time, in order. */
function callsByTime(times: readonly number[]): [atMs: number, calls: number][] {
  const calls: [number, number][] = [];
  for (const atMs of times) {
    const latest = calls.at(-1);
    if (latest?.[0] === atMs) latest[1] += 1;
    else calls.push([atMs, 1]);
  }
  return calls;
}

function* linesByTenant(state: LedgerState): Generator<[tenant: string, line: unknown[]]> {
  const { clockMs } = state;
  for (const tenant of state.tenants.values()) {
    for (const line of tenantLines(tenant, clockMs)) yield [tenant.name, line];
  }
  for (const partitions of state.positions.values()) {
    for (const { deliveries } of partitions.values()) {
      for (const delivery of deliveries.values()) {
        if (delivery.unpublished !== null)
          throw new TypeError('a fold holds what is on the log, and nothing else');
        if (isForgotten(delivery, clockMs) || delivery.kind === 'unremembered') continue;
        const line = ['delivery', positionOf(sourceOf(delivery)), packDelivery(delivery)];
        yield [delivery.agent.tenant.name, line];
      }
    }
  }
  for (const [key, pending] of state.pendingOutcomes) {
    const blank = key.indexOf(' ');
    const [agentId = ''] = key.slice(blank + 1).split(' ', 1);
    const { forgetAtMs } = pending;
    if (forgetAtMs > clockMs)
      yield [
        key.slice(0, blank),
        ['pending', key.slice(blank + 1), forgetAtMs, packPending(agentId, pending)],
      ];
  }
  for (const flag of state.flags.values()) {
    if (flag.target.scope !== 'all') yield [flag.target.tenant, flagLine(flag)];
  }
  for (const [key, { answer, forgetAtMs }] of inMemory(state.kills, clockMs)) {
    const tenant = tenantOf(key);
    if (tenant === null) continue;
    // The name ends with a space. If the kill is for everything, kill.lua adds the revision after this space.
    const { revision, heldSince, sequences, open } = answer;
    const value = [revision, sequences[tenant] ?? false, listOf(open), clockMs, heldSince];
    yield [tenant, ['command', `kill ${key} `, forgetAtMs, value]];
  }
  for (const [key, { forgetAtMs }] of inMemory(state.revives, clockMs)) {
    const tenant = tenantOf(key);
    if (tenant !== null) yield [tenant, ['command', `revive ${key}`, forgetAtMs, true]];
  }
}

/** Packs an outcome that waits for its decision, in the format of step.lua. */
function packPending(agentId: string, pending: PendingOutcome): unknown[] {
  const { deltaMicros, excessMicros, releasedMicros, units, result } = pending;
  const names = [ownCounters(agentId), counterName(releasedOf(agentId)), rateName(openCallsOf(agentId))];
  const moved = [deltaMicros, result, excessMicros, releasedMicros, ...names];
  if (units === undefined) return moved;
  const inUnits = unitsIn(units).map(([unit, { delta, excess, released }]) => [
    ...[LIMIT_KIND[unit], delta, excess, released],
    counterName(releasedOf(agentId, unit)),
  ]);
  return [...moved, inUnits];
}

/** Returns the lines of the registry: the flag for everything, and the commands that set and cleared it. */
export function registryLinesOf(state: LedgerState): unknown[][] {
  const flag = state.flags.get('*');
  return [
    ...(flag === undefined ? [] : [flagLine(flag)]),
    ...[...inMemory(state.kills, state.clockMs)]
      .filter(([key]) => tenantOf(key) === null)
      .map(([key, { answer, forgetAtMs }]) => ['command', `kill ${key}`, forgetAtMs, JSON.stringify(answer)]),
    ...[...inMemory(state.revives, state.clockMs)]
      .filter(([key]) => tenantOf(key) === null)
      // Every shard already has its flag. So the command has no open work.
      .map(([key, { forgetAtMs }]) => ['command', `revive ${key}`, forgetAtMs, [0, true]]),
  ];
}

function* inMemory<Answer>(done: Done<Answer>, nowMs: number) {
  for (const entry of done) if (entry[1].forgetAtMs > nowMs) yield entry;
}

/** Returns the tenant of a command's key. The key begins with the key of its flag. Null for everything. */
function tenantOf(commandKey: string): string | null {
  const [flag = ''] = commandKey.split(' ', 1);
  return flag === '*' ? null : (flag.split(/[/:]/, 1)[0] ?? null);
}

/** Packs a deferral in the format of parts/waiting.lua. */
function packDeferral({ actionId, digest, atMs, forgetAtMs, rates }: Deferral): unknown[] {
  const held = rates.map((rate) => [rateName(rate), rate.windowMs]);
  return [`${actionId} ${digest}`, atMs, forgetAtMs, held];
}

function flagLine({ target, killed, revision, reason, atMs, heldSince, pulled }: Flag): unknown[] {
  const { by, commandId, sequence } = pulled ?? { by: null, commandId: null, sequence: null };
  const named = [by ?? false, commandId ?? false, sequence ?? false];
  return ['flag', flagKey(target), [killed, revision, reason, atMs, '', false, heldSince, ...named]];
}

function* tenantLines(tenant: TenantState, clockMs: number): Generator<unknown[]> {
  yield ['tenant', tenant.sequence, clockMs];
  for (const agent of tenant.agents.values()) {
    for (const actionId of agent.actions.keys()) {
      const attempts = [...attemptsOf(agent, actionId)]
        .filter((entry) => !isForgotten(entry, clockMs))
        .sort((a, b) => a.attempt - b.attempt);
      if (attempts.length === 0) continue;
      const words = attempts.map((entry) => `${entry.attempt} ${positionOf(sourceOf(entry))}`);
      yield ['action', `${agent.id} ${actionId}`, words.join(' ')];
    }
  }
  for (const [key, actionId] of tenant.keys) {
    if (isHeld(tenant, key, actionId, clockMs)) yield ['key', key, actionId];
  }
  for (const [field, turn] of tenant.turns) {
    if (turn.forgetAtMs > clockMs) yield ['turn', field, turnText(turn)];
  }
  for (const grant of tenant.grants.values()) {
    const { answer, expiresAtMs, forgetAtMs, sequence, deferral } = grant;
    if (forgetAtMs <= clockMs) continue;
    const answers = deferral === null ? false : packDeferral(deferral);
    yield ['grant', grantName(grant), [answer, expiresAtMs, forgetAtMs, sequence, answers]];
  }
  // The items are in the order of arrival.
  for (const delivery of tenant.unremembered.items.slice(tenant.unremembered.head)) {
    if (!isForgotten(delivery, clockMs))
      yield ['delivery', positionOf(sourceOf(delivery)), packDelivery(delivery)];
  }
  for (const { id, waiting } of tenant.agents.values()) {
    const still = waiting.filter(({ forgetAtMs }) => forgetAtMs > clockMs);
    if (still.length > 0) yield ['waiting', id, still.map(packDeferral)];
  }
  for (const [id, { answer, forgetAtMs }] of inMemory(tenant.adjustments, clockMs)) {
    const { epoch, sequence, atMs, spent } = answer;
    yield ['done', `adjust ${id}`, forgetAtMs, [epoch, sequence, atMs, spent]];
  }
  for (const [id, { answer, forgetAtMs }] of inMemory(tenant.approvals, clockMs)) {
    const { epoch, sequence, atMs, expiresAtMs } = answer;
    yield ['done', `approve ${id}`, forgetAtMs, [epoch, sequence, atMs, expiresAtMs]];
  }
}

/** @param key agent and idempotency key, with a space between them */
function isHeld(tenant: TenantState, key: string, actionId: string, clockMs: number): boolean {
  const blank = key.indexOf(' ');
  for (const entry of attemptsOf(tenant.agents.get(key.slice(0, blank)), actionId)) {
    if (entry.idempotencyKey === key.slice(blank + 1) && !isForgotten(entry, clockMs)) return true;
  }
  return false;
}

const NEVER_SETTLED: Pick<Lease, 'type' | 'tool' | 'charging' | 'settling'> = {
  type: 'tool_call',
  tool: null,
  charging: { type: 'SUCCESS_BASED', estimateMicros: 0 },
  settling: UNBOUND_SETTLING,
};

/** Packs a delivery in the format of load.lua. */
function packDelivery(delivery: ProcessedDelivery): unknown[] {
  const { agent, forgetAtMs } = delivery;
  switch (delivery.kind) {
    case 'settled':
      return ['s', agent.id, forgetAtMs];
    case 'duplicate':
      return ['d', agent.id, forgetAtMs, delivery.digest];
    case 'unremembered':
      return delivery.digest === null
        ? ['v', agent.id, forgetAtMs]
        : ['u', agent.id, forgetAtMs, delivery.digest];
    case 'first':
    case 'expired':
      return packEntry(delivery);
  }
}

function packEntry(entry: StoredDecision): unknown[] {
  const { agent, lease } = entry;
  // An action that was not allowed is never settled. So a constant replaces its charging.
  const { type, tool, charging, settling } = lease ?? NEVER_SETTLED;
  return [
    entry.kind === 'first' ? 'f' : 'e',
    agent.id,
    entry.forgetAtMs,
    requestWords({ ...entry, agentId: agent.id, type, tool, plan: { charging, settling } }),
    entry.attempt,
    entry.atMs,
    entry.sequence,
    entry.verdict,
    entry.code,
    entry.final,
    entry.grantConsumed,
    lease === null ? false : packLease(agent.id, lease),
  ];
}

function packLease(agentId: string, lease: Lease): unknown[] {
  const { reservedMicros, expiresAtMs, chargedMicros, result, charges, units } = lease;
  const ofMoney = [reservedMicros, expiresAtMs, chargedMicros, result ?? false, chargesWord(charges)];
  if (units === undefined) return ofMoney;
  return [...ofMoney, unitsIn(units).map(([unit, its]) => packUnit(agentId, unit, its))];
}

function packUnit(agentId: string, unit: CounterUnit, { reserved, settling, charges }: UnitLease): unknown[] {
  const names = { releases: counterName(releasedOf(agentId, unit)), charges: chargesWord(charges) };
  return [reserved, unitWord(unit, settling, names)];
}

function chargesWord(charges: readonly Charge[]): string {
  return JSON.stringify(
    charges.map(
      ({ counter, most }): Charged => [counterName(counter), counter.windowMs ?? false, most ?? false],
    ),
  );
}
