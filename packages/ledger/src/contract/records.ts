/**
 * Builds the records that a history writes to the decisions topic, with the fields that a fold reads. The policy
 * package makes the real records, but the ledger does not depend on it.
 */
import {
  type BudgetLimit,
  type Decision,
  type DecisionsRecord,
  mapUnits,
  type RateLimit,
  type Reservation,
  type SettleFacts,
  type SettleRequest,
  type StepFacts,
  type StepRequest,
  wireTime,
} from '@mandate/schemas';
import { countedTurn, unitLimitsOf } from '@mandate/step';
import type { Receipt } from '../port.ts';
import type { Played } from './drive.ts';
import { enforcedVerdict, publishedVerdict } from './model/verdict.ts';

export type Keyed = { key: string; record: DecisionsRecord };

/** Returns the records in the given order. Commands that did nothing or are already on the log have no record. */
export function recordsOf(played: readonly Played[], epoch: string): Keyed[] {
  return played.flatMap((each) => recordOf(each, epoch) ?? []);
}

function recordOf(played: Played, epoch: string): Keyed | null {
  switch (played.did) {
    case 'step':
      return stepRecord(played);
    case 'kill': {
      const { target, order, receipt, atMs } = played;
      const { revision, heldSince, sequences, open } = receipt;
      const flag = { ...order, at: wireTime(atMs), target, revision, heldSince, ledgerEpoch: epoch };
      const found = { ledgerSequences: { ...sequences }, openCount: open.length, open: [...open] };
      return { key: 'flags', record: { event: 'agent.killed', kill: { ...flag, ...found } } };
    }
    case 'revive': {
      const { id, target, revision, known, atMs } = played;
      if (known) return null;
      const order = { id, by: 'operator', reason: 'again', at: wireTime(atMs) };
      return { key: 'flags', record: { event: 'agent.revived', revive: { ...order, target, revision } } };
    }
    case 'adjust': {
      const { adjustment, receipt } = played;
      const { delta, ...named } = adjustment;
      const { spent } = receipt;
      const amounts =
        adjustment.budget.unit === undefined
          ? { deltaMicros: delta, spentMicros: spent }
          : { delta, used: spent };
      const corrected = { ...named, ...stampOf(receipt), ...amounts };
      const record = { event: 'budget.adjusted' as const, adjustment: corrected };
      return { key: adjustment.tenant, record };
    }
    case 'approve': {
      const { expiresAtMs, ...approval } = played.approval;
      const stamp = { ...stampOf(played.receipt), expiresAt: wireTime(expiresAtMs) };
      const record = { event: 'approval.recorded' as const, approval: { ...approval, ...stamp } };
      return { key: `${approval.tenant}/${approval.agentId}`, record };
    }
    case 'nothing':
      return null;
  }
}

function stepRecord({ operation, result }: Played & { did: 'step' }): Keyed | null {
  const key = `${operation.tenant}/${operation.agentId}`;
  if (result.kind === 'decided' && operation.op === 'decide') {
    const decision = decisionOf({ ...operation, plan: result.plan }, result.facts);
    return { key, record: { event: 'action.decided', decision } };
  }
  if (result.kind === 'settled' && operation.op === 'settle') {
    return { key, record: settledOf(operation, result.facts) };
  }
  return null;
}

function stampOf({ atMs, epoch, sequence }: Receipt) {
  return { at: wireTime(atMs), ledgerEpoch: epoch, ledgerSequence: sequence };
}

function decisionOf(request: StepRequest, facts: StepFacts): Decision {
  const { plan, agentId, tenant, actionId, attempt, type, tool, digest, source, idempotencyKey } = request;
  const published = publishedVerdict(plan, facts);
  const enforced = enforcedVerdict(plan, facts);
  const allowed = facts.leaseExpiresAtMs !== null;
  const rates = plan.limits.filter((limit): limit is RateLimit => limit.kind === 'rate');
  const asked = plan.limits.find((limit) => limit.kind === 'confirmation');
  const turn = enforced.verdict === 'ALLOW' ? countedTurn(plan.limits, facts.limits) : undefined;
  const observed =
    enforced.code === published.code ? null : { verdict: enforced.verdict, code: enforced.code };
  return {
    id: `dec_${source.topic}_${source.offset}`,
    kind: kindOf(facts),
    actionId,
    attempt,
    tenant,
    agentId,
    type,
    tool,
    model: null,
    provider: null,
    ...published,
    observed,
    reason: '',
    remedy: '',
    retryAfterMs: null,
    chargedMicros: facts.chargedMicros,
    cumulativeMicros: Math.max(0, facts.cumulativeMicros),
    remainingMicros: null,
    remainingCalls: null,
    leaseExpiresAt: facts.leaseExpiresAtMs === null ? null : wireTime(facts.leaseExpiresAtMs),
    mandate: null,
    duplicateOf: null,
    requestedAt: null,
    appendedAt: wireTime(request.appendedAtMs),
    decidedAt: wireTime(facts.atMs),
    source,
    controlRevision: 0,
    ledgerEpoch: facts.epoch,
    ledgerSequence: facts.sequence,
    digest,
    reservation: allowed
      ? {
          micros: facts.chargedMicros,
          charging: plan.charging,
          settling: plan.settling,
          budgets: plan.limits.filter((limit): limit is BudgetLimit => limit.kind === 'budget'),
          rates: observed === null || observed.verdict === 'DEFER' ? rates : [],
          ...(plan.units !== undefined &&
            facts.chargedUnits !== undefined && {
              units: mapUnits(plan.units, ({ settling }, unit) => ({
                reserved: facts.chargedUnits?.[unit] ?? 0,
                settling,
                limits: unitLimitsOf(plan.limits, unit),
              })) as Reservation['units'],
            }),
          leaseMs: plan.leaseMs,
          ...(plan.opensTurn !== undefined && { opensTurn: plan.opensTurn }),
          ...(turn !== undefined && { turn }),
        }
      : null,
    ...(published.verdict === 'DEFER' &&
      facts.first === null && {
        deferral: { rates, ...(asked?.questionMs !== undefined && { questionMs: asked.questionMs }) },
      }),
    grantConsumed: allowed && facts.limits.some((fact) => fact.kind === 'confirmation' && fact.ok),
    checks: [],
    action: {
      id: actionId,
      agentId,
      type: 'tool_call',
      tool: 'mail',
      ...(idempotencyKey === null ? {} : { idempotencyKey }),
    },
  };
}

function kindOf({ first, unremembered, late }: StepFacts): Decision['kind'] {
  if (unremembered) return 'unremembered';
  if (first !== null) return 'duplicate';
  return late ? 'expired' : 'first';
}

function settledOf(request: SettleRequest, facts: SettleFacts): DecisionsRecord {
  const { tenant, agentId, actionId, attempt, status, verified, actualMicros, source } = request;
  const { kind, late, deltaMicros, excessMicros, releasedMicros, chargedMicros } = facts;
  return {
    event: 'action.settled',
    settlement: {
      id: `set_${source.topic}_${source.offset}`,
      kind,
      actionId,
      attempt,
      tenant,
      agentId,
      status,
      verified,
      actualCostMicros: actualMicros,
      reportedBy: { keyId: null, mayRelease: request.mayRelease },
      late,
      deltaMicros,
      excessMicros,
      releasedMicros,
      chargedMicros,
      ...(facts.units !== undefined && { units: facts.units }),
      cumulativeMicros: Math.max(0, facts.cumulativeMicros),
      code: kind === 'settled' ? 'SETTLED' : 'NO_EFFECT',
      marks: [],
      reason: '',
      completedAt: null,
      settledAt: wireTime(facts.atMs),
      source,
      ledgerEpoch: facts.epoch,
      ledgerSequence: facts.sequence,
    },
  };
}
