/** Folds operators' commands from the log. Reading a command twice does not change the result. */
import type { AgentKilled, AgentRevived, ApprovalRecorded, BudgetAdjusted } from '@mandate/schemas';
import { addToCounter } from '@mandate/step';
import { attemptsOf } from '../memory/agents.ts';
import { answerOf, commandMemoryMs, keepAnswer } from '../memory/commands.ts';
import { openCounter } from '../memory/counters.ts';
import { endWaiting } from '../memory/deferrals.ts';
import { commandKey, mergeFlag, sequenceOfKill } from '../memory/flags.ts';
import { putGrant } from '../memory/grants.ts';
import type { TenantState } from '../memory/remembered.ts';
import type { LedgerState } from '../memory/state.ts';
import { advanceClock, advanceSequence } from './advance-clock.ts';

export function foldKill(state: LedgerState, kill: AgentKilled['kill']): void {
  const { target, revision, reason, heldSince = 0, open, ledgerSequences: sequences } = kill;
  const atMs = Date.parse(kill.at);
  const pulled = { commandId: kill.id, by: kill.by, sequence: sequenceOfKill(target, sequences) };
  mergeFlag(state.flags, { target, killed: true, revision, reason, atMs, heldSince, pulled });
  for (const [tenant, sequence] of Object.entries(sequences)) advanceSequence(state, tenant, sequence);
  const key = commandKey(target, kill.id);
  // A repeated kill may be on the log twice. As in the ledger, its id is remembered from the time of the first copy.
  if (answerOf(state.kills, key, atMs) === undefined) {
    keepAnswer(state.kills, key, { revision, heldSince, sequences, open }, times(state, atMs));
  }
}

/**
 * Also merges a revive with a known id. If the log did not confirm a revive, it was appended again, and the ledger
 * carried out the last copy.
 */
export function foldRevive(state: LedgerState, { id, target, revision, at }: AgentRevived['revive']): void {
  const atMs = Date.parse(at);
  mergeFlag(state.flags, { target, killed: false, revision, reason: '', atMs, heldSince: 0, pulled: null });
  const key = commandKey(target, id);
  if (answerOf(state.revives, key, atMs) === undefined) {
    keepAnswer(state.revives, key, true, times(state, atMs));
  }
}

export function foldAdjustment(state: LedgerState, adjustment: BudgetAdjusted['adjustment']): void {
  const { id, budget, ledgerEpoch: epoch, ledgerSequence: sequence } = adjustment;
  const delta = adjustment.delta ?? adjustment.deltaMicros ?? 0;
  const spent = adjustment.used ?? adjustment.spentMicros ?? 0;
  const tenant = advanceSequence(state, adjustment.tenant, sequence);
  const atMs = advanceClock(state, adjustment.at);
  if (answerOf(tenant.adjustments, id, atMs) !== undefined) return;
  addToCounter(openCounter(tenant.counters, budget), atMs, delta, state.clockMs);
  keepAnswer(tenant.adjustments, id, { epoch, sequence, atMs, spent }, times(state, atMs));
}

export function foldApproval(state: LedgerState, approval: ApprovalRecorded['approval']): void {
  const { id, agentId, actionId, digest, answer, ledgerEpoch: epoch, ledgerSequence: sequence } = approval;
  const tenant = advanceSequence(state, approval.tenant, sequence);
  const atMs = advanceClock(state, approval.at);
  if (answerOf(tenant.approvals, id, atMs) !== undefined) return;
  const expiresAtMs = Date.parse(approval.expiresAt);
  keepAnswer(tenant.approvals, id, { epoch, sequence, atMs, expiresAtMs }, times(state, atMs));
  if (isConsumed(tenant, approval)) return;
  const forgetAtMs = Math.max(atMs, expiresAtMs) + commandMemoryMs(state.replayMemoryMs);
  const agent = tenant.agents.get(agentId);
  const deferral = agent === undefined ? null : endWaiting(agent, approval, atMs);
  putGrant(
    tenant.grants,
    { agentId, actionId, digest, answer, expiresAtMs, forgetAtMs, sequence, deferral },
    // Uses the approval's own time. Other partitions may be read further, but the earlier answer was still valid at
    // this time.
    atMs,
  );
}

/** True if the grant is used up. The decision that used it may be on the log before the grant. */
function isConsumed(tenant: TenantState, approval: ApprovalRecorded['approval']): boolean {
  for (const entry of attemptsOf(tenant.agents.get(approval.agentId), approval.actionId)) {
    const after = entry.sequence > approval.ledgerSequence;
    if (after && entry.grantConsumed && entry.digest === approval.digest) return true;
  }
  return false;
}

/**
 * Returns times for a command: with `nowMs: 0` no command is forgotten during the fold. Commands are few, and a
 * repeat may be written much later.
 */
function times(state: LedgerState, atMs: number): { nowMs: number; forgetAtMs: number } {
  return { nowMs: 0, forgetAtMs: atMs + commandMemoryMs(state.replayMemoryMs) };
}
