/** Converts a state at a time to sorted text. Two states are equal if their texts are equal. */
import { unitsIn } from '@mandate/schemas/core';
import { slidingBuckets, slotTimes, spentIn } from '@mandate/step';
import { attemptsOf } from '../memory/agents.ts';
import { allCounters, allRates, type Counter } from '../memory/counters.ts';
import type { Deferral } from '../memory/deferral.ts';
import { isForgotten } from '../memory/deliveries.ts';
import { sourceOf } from '../memory/log-positions.ts';
import type { Charge, ProcessedDelivery, TenantState } from '../memory/remembered.ts';
import type { LedgerState } from '../memory/state.ts';

/**
 * Returns the lines of the text. Leaves out everything that is forgotten at `atMs`, counters at zero, and the times
 * of operators' events.
 */
export function stateOf(state: LedgerState, atMs: number): string[] {
  const lines: unknown[][] = [];
  for (const { target, killed, revision, reason, heldSince, pulled } of state.flags.values()) {
    lines.push([
      'flag',
      target,
      killed,
      revision,
      killed ? reason : '',
      heldSince,
      pulled && Object.entries(pulled).sort(),
    ]);
  }
  for (const [id, { answer, forgetAtMs }] of state.kills) {
    if (forgetAtMs > atMs) lines.push(['kill', id, answer.revision, answer.sequences]);
  }
  for (const [id, { forgetAtMs }] of state.revives) {
    if (forgetAtMs > atMs) lines.push(['revive', id]);
  }
  for (const [key, settlement] of state.pendingOutcomes) {
    if (settlement.forgetAtMs > atMs) lines.push(['pendingOutcome', key, Object.entries(settlement).sort()]);
  }
  for (const tenant of state.tenants.values()) {
    if (tenant.sequence > 0) lines.push(...linesOf(tenant, atMs));
  }
  for (const partitions of state.positions.values()) {
    for (const { deliveries } of partitions.values()) {
      for (const delivery of deliveries.values()) {
        if (!isForgotten(delivery, atMs)) lines.push(['delivery', ...describe(delivery)]);
      }
    }
  }
  return lines.map((line) => JSON.stringify(line)).sort();
}

function linesOf(tenant: TenantState, atMs: number): unknown[][] {
  const { name, sequence, counters } = tenant;
  const lines: unknown[][] = [['tenant', name, sequence]];
  for (const counter of allCounters(counters)) {
    const spent = spentIn(counter, atMs);
    const buckets = counter.sliding === null ? [] : slidingBuckets(counter.sliding, atMs);
    if (spent === 0 && buckets.length === 0) continue;
    lines.push(['budget', name, nameOf(counter), spent, buckets]);
  }
  for (const rate of allRates(counters)) {
    const times = slotTimes(rate, atMs);
    if (times.length > 0) lines.push(['rate', name, rate.agentId, rate.tool, rate.windowMs, times]);
  }
  for (const { forgetAtMs, ...turn } of tenant.turns.values()) {
    if (forgetAtMs > atMs) lines.push(['turn', name, forgetAtMs, Object.entries(turn).sort()]);
  }
  for (const grant of tenant.grants.values()) {
    const { deferral, ...rest } = grant;
    if (grant.forgetAtMs > atMs) lines.push(['grant', name, rest, deferral && describeDeferral(deferral)]);
  }
  for (const [kind, done] of Object.entries({ adjust: tenant.adjustments, approve: tenant.approvals })) {
    for (const [id, { answer, forgetAtMs }] of done) {
      if (forgetAtMs > atMs) lines.push([kind, name, id, Object.entries(answer).sort()]);
    }
  }
  for (const agent of tenant.agents.values()) {
    for (const deferral of agent.waiting) {
      if (deferral.forgetAtMs > atMs) lines.push(['waits', name, agent.id, describeDeferral(deferral)]);
    }
    for (const actionId of agent.actions.keys()) {
      for (const entry of attemptsOf(agent, actionId)) {
        if (!isForgotten(entry, atMs)) lines.push(['stands', name, agent.id, actionId, sourceOf(entry)]);
      }
    }
  }
  return lines;
}

function describeDeferral({ rates, ...deferral }: Deferral): unknown[] {
  const names = rates.map(({ agentId, tool, windowMs }) => JSON.stringify([agentId, tool, windowMs]));
  return [Object.entries(deferral).sort(), names.sort()];
}

function describe(delivery: ProcessedDelivery): unknown[] {
  const who = [sourceOf(delivery), delivery.agent.tenant.name, delivery.agent.id, delivery.forgetAtMs];
  const onLog = delivery.unpublished === null;
  if (delivery.kind !== 'first' && delivery.kind !== 'expired') return [...who, onLog, delivery.kind];
  const { agent: _agent, log: _log, another: _another, unpublished: _unpublished, lease, ...rest } = delivery;
  const { charges, units, ...held } = lease ?? { charges: [] };
  const inUnits = unitsIn(units).map(([unit, its]) => [
    ...[unit, its.reserved, Object.entries(its.settling).sort()],
    namesOf(its.charges),
  ]);
  const ofLease = [Object.entries(held).sort(), namesOf(charges), inUnits];
  return [...who, onLog, Object.entries(rest).sort(), ...ofLease];
}

function namesOf(charges: readonly Charge[]): unknown[] {
  return charges.map(({ counter, most }) => [...nameOf(counter), most]);
}

function nameOf({ scope, subject, id, windowMs, unit }: Counter): (string | number | null)[] {
  return [scope, subject, id, windowMs, unit ?? ''];
}
