/** Operators' commands: kill, revive, adjust a counter, and answer a deferred action. */

import type { KillTarget } from '@mandate/schemas';
import { addToCounter, fittingIn, spentIn } from '@mandate/step';
import { adjustmentTooLarge, approvalNotFound, approvalNotWaiting } from '../command-errors.ts';
import type { Adjustment, Approval, KillCommand, Killed, KillReceipt, Receipt } from '../port.ts';
import { findLatest } from './agents.ts';
import { answerOf, commandMemoryMs, type Done, keepAnswer } from './commands.ts';
import { openCounter } from './counters.ts';
import { endWaiting } from './deferrals.ts';
import { commandKey, flagKey, mergeFlag, sequenceOfKill } from './flags.ts';
import { putGrant } from './grants.ts';
import { openAction, openFor } from './queries.ts';
import type { TenantState } from './remembered.ts';
import { activeTenants, type LedgerState, openTenant } from './state.ts';

export function kill(state: LedgerState, nowMs: number, target: KillTarget, command: KillCommand): Killed {
  const key = commandKey(target, command.id);
  const known = answerOf(state.kills, key, nowMs);
  if (known !== undefined) return { ...known, stands: flagOf(state, target).killed };

  const before = state.flags.get(flagKey(target));
  const read = target.scope === 'subtree' ? (command.controlRevision ?? 0) : 0;
  // A second kill still stops every agent that the first kill stopped.
  const heldSince = before?.killed ? Math.min(before.heldSince, read) : read;
  const revision = (before?.revision ?? 0) + 1;
  const tenants = target.scope === 'all' ? activeTenants(state) : [openTenant(state, target.tenant)];
  const open = openOf(tenants, target, nowMs);
  const sequences = takeSequences(tenants);
  const { id: commandId, by, reason } = command;
  const pulled = { commandId, by, sequence: sequenceOfKill(target, sequences) };
  mergeFlag(state.flags, { target, killed: true, revision, reason, atMs: nowMs, heldSince, pulled });
  const receipt = { revision, heldSince, sequences, open };
  keep(state, state.kills, key, receipt, nowMs);
  return { ...receipt, stands: true };
}

export function revive(
  state: LedgerState,
  nowMs: number,
  target: KillTarget,
  revision: number,
  commandId: string,
): boolean {
  if (!wasRevived(state, nowMs, target, commandId)) {
    mergeFlag(state.flags, {
      ...{ target, killed: false, revision, reason: '', atMs: nowMs, heldSince: 0 },
      pulled: null,
    });
    keep(state, state.revives, commandKey(target, commandId), true, nowMs);
  }
  return state.flags.get(flagKey(target))?.killed !== true;
}

export function wasRevived(
  state: LedgerState,
  nowMs: number,
  target: KillTarget,
  commandId: string,
): boolean {
  return answerOf(state.revives, commandKey(target, commandId), nowMs) ?? false;
}

export function flagOf(state: LedgerState, target: KillTarget): { killed: boolean; revision: number } {
  const { killed = false, revision = 0 } = state.flags.get(flagKey(target)) ?? {};
  return { killed, revision };
}

export function adjust(
  state: LedgerState,
  epoch: string,
  nowMs: number,
  adjustment: Adjustment,
): Receipt & { spent: number } {
  const tenant = openTenant(state, adjustment.tenant);
  const known = answerOf(tenant.adjustments, adjustment.id, nowMs);
  if (known !== undefined) return known;

  const counter = openCounter(tenant.counters, adjustment.budget);
  if (fittingIn(counter, nowMs, adjustment.delta, nowMs) !== adjustment.delta) throw adjustmentTooLarge();
  addToCounter(counter, nowMs, adjustment.delta, nowMs);
  tenant.sequence += 1;
  const receipt = { epoch, sequence: tenant.sequence, atMs: nowMs, spent: spentIn(counter, nowMs) };
  keep(state, tenant.adjustments, adjustment.id, receipt, nowMs);
  return receipt;
}

export function approve(
  state: LedgerState,
  epoch: string,
  nowMs: number,
  approval: Approval,
): Receipt & { expiresAtMs: number } {
  const tenant = openTenant(state, approval.tenant);
  const known = answerOf(tenant.approvals, approval.id, nowMs);
  if (known !== undefined) return known;

  const { agentId, actionId, digest, answer, expiresAtMs } = approval;
  const agent = tenant.agents.get(agentId);
  const asked = agent && findLatest(agent, actionId, nowMs);
  if (asked === undefined || asked.digest !== digest) throw approvalNotFound();
  if (asked.verdict === 'ALLOW' || asked.final) throw approvalNotWaiting(asked);

  tenant.sequence += 1;
  const forgetAtMs = Math.max(nowMs, expiresAtMs) + commandMemoryMs(state.replayMemoryMs);
  const deferral = endWaiting(asked.agent, approval, nowMs);
  putGrant(
    tenant.grants,
    { agentId, actionId, digest, answer, expiresAtMs, forgetAtMs, sequence: tenant.sequence, deferral },
    nowMs,
  );
  const receipt = { epoch, sequence: tenant.sequence, atMs: nowMs, expiresAtMs };
  keep(state, tenant.approvals, approval.id, receipt, nowMs);
  return receipt;
}

function keep<Answer>(
  { replayMemoryMs }: LedgerState,
  done: Done<Answer>,
  id: string,
  answer: Answer,
  nowMs: number,
): void {
  keepAnswer(done, id, answer, { nowMs, forgetAtMs: nowMs + commandMemoryMs(replayMemoryMs) });
}

function takeSequences(tenants: readonly TenantState[]): Record<string, number> {
  const sequences: Record<string, number> = {};
  for (const tenant of tenants) {
    tenant.sequence += 1;
    sequences[tenant.name] = tenant.sequence;
  }
  return sequences;
}

function openOf(tenants: readonly TenantState[], target: KillTarget, nowMs: number): KillReceipt['open'] {
  return tenants.flatMap((tenant) =>
    openFor(target, tenant, nowMs).map((entry) => openAction(tenant, entry)),
  );
}
