/** Turns a judgement into the published record `action.decided`. */

import type {
  Action,
  ActionDecided,
  ApprovalSubject,
  BudgetLimit,
  Decision,
  Deferral,
  Limit,
  Plan,
  RateLimit,
  Reservation,
  StepFacts,
  StepRequest,
  UnitLimit,
} from '@mandate/schemas';
import {
  approvalId,
  type CounterUnit,
  isModelCall,
  isToolCall,
  mapUnits,
  OPEN_CALLS,
  wireTime,
} from '@mandate/schemas/core';
import { countedTurn, decisionKind, isUnitLimit, unitLimitsOf } from '@mandate/step';
import { decide, type Judgement } from './decide.ts';
import type { Sha256 } from './digest.ts';
import { dutiesAt, dutiesOf } from './governance/duties.ts';
import { eventsOf } from './governance/events.ts';
import { knownCall } from './models/known-call.ts';
import { decisionId } from './record-ids.ts';

export type Decided = {
  request: Omit<StepRequest, 'op' | 'plan'>;
  /** The redacted action, as it is published. */
  action: Action;
  plan: StepRequest['plan'];
  facts: StepFacts;
  sha256?: Sha256;
};

export function decisionRecord(decided: Decided): ActionDecided {
  const { request, action, plan, facts, sha256 } = decided;
  const judgement = decide(plan, facts);
  const kind = decisionKind(facts);
  const { first } = facts;
  const reservation = reservationOf(plan, facts, judgement);
  const deferral = deferralOf(plan, facts, judgement);
  const call = isModelCall(action) ? knownCall(action) : null;
  const id = decisionId(request.source, request.appendedAtMs, kind, sha256);
  return {
    event: 'action.decided',
    decision: {
      id,
      kind,
      actionId: request.actionId,
      attempt: request.attempt,
      tenant: request.tenant,
      agentId: request.agentId,
      type: action.type,
      tool: isToolCall(action) ? action.tool : null,
      model: call?.model ?? null,
      provider: call?.provider ?? null,
      verdict: judgement.verdict,
      observed: judgement.observed,
      ...(judgement.shadow === null ? null : { shadow: judgement.shadow }),
      code: judgement.code,
      reason: judgement.reason,
      remedy: remedyOf(judgement, id, request),
      final: judgement.final,
      retryAfterMs: judgement.retryAfterMs,
      chargedMicros: facts.chargedMicros,
      cumulativeMicros: facts.cumulativeMicros,
      ...remaining(plan, facts, reservation ?? deferral),
      leaseExpiresAt: facts.leaseExpiresAtMs === null ? null : wireTime(facts.leaseExpiresAtMs),
      mandate: plan.mandate,
      duplicateOf:
        first === null
          ? null
          : {
              decisionId: decisionId(first.source, first.appendedAtMs, first.kind),
              actionId: first.actionId,
              attempt: first.attempt,
              verdict: first.verdict,
              code: first.code,
              samePayload: first.samePayload,
            },
      requestedAt: action.requestedAt ?? null,
      appendedAt: wireTime(request.appendedAtMs),
      decidedAt: wireTime(facts.atMs),
      source: request.source,
      controlRevision: plan.controlRevision,
      ledgerEpoch: facts.epoch,
      ledgerSequence: facts.sequence,
      digest: request.digest,
      ...(isGoverned(plan) && governedParts(decided, judgement)),
      ...(asksPerson(judgement) && { approvalId: approvalId(request) }),
      reservation,
      ...(deferral === null ? null : { deferral }),
      grantConsumed:
        reservation !== null && facts.limits.some((fact) => fact.kind === 'confirmation' && fact.ok),
      checks: [...judgement.checks],
      action,
    },
  };
}

/** True if the decision may have obligations, notes, violations or events. Most decisions have none. */
function isGoverned({ duties, violations, events }: Plan): boolean {
  return duties !== undefined || violations !== undefined || events !== undefined;
}

/** Returns obligations, notes, violations and events. A mandate in observe mode imposes no obligations. */
function governedParts(
  { plan, facts, action }: Decided,
  { verdict, code }: Judgement,
): Pick<Decision, 'obligations' | 'notes' | 'violations' | 'events'> {
  const allowed = verdict === 'ALLOW';
  const duties = allowed ? dutiesOf(plan, facts) : null;
  const { obligations, notes } = duties === null ? NO_DUTIES : dutiesAt(duties, facts.atMs);
  const violations = allowed || code === plan.refusal?.code ? (plan.violations ?? []) : [];
  const events = eventsOf(plan.events ?? [], { type: action.type, code, allowed, obligations });
  return {
    ...(!plan.observe && !isEmpty(obligations) && { obligations }),
    ...(notes.length > 0 && { notes: [...notes] }),
    ...(violations.length > 0 && { violations: [...violations] }),
    ...(events.length > 0 && { events }),
  };
}

const NO_DUTIES = { obligations: {}, notes: [] };

function isEmpty(obligations: object): boolean {
  for (const _ in obligations) return false;
  return true;
}

/** True if a person can answer the question that this decision is about. */
function asksPerson({ verdict, code }: Judgement): boolean {
  return verdict === 'DEFER' || code === 'APPROVAL_EXPIRED';
}

/** Returns the remedy. If a person is asked, it contains the commands that answer the question. */
function remedyOf(judgement: Judgement, id: string, request: ApprovalSubject): string {
  const { remedy } = judgement;
  if (!asksPerson(judgement)) return remedy;
  return (
    `${remedy} In the SDK, a person approves the call with \`mandate.approve(error)\`. On a plane, run ` +
    `\`mandate approvals approve ${id}\`, or POST /v1/approvals/${approvalId(request)}/approve.`
  );
}

/**
 * Returns what the first DEFER of an action records: the rates that reserve a call for the approved retry, and how
 * long the question and the approval are valid. Null for other decisions.
 */
function deferralOf(plan: Plan, facts: StepFacts, { verdict }: Judgement): Deferral | null {
  if (verdict !== 'DEFER' || facts.first !== null) return null;
  const { questionMs, grantMs } = plan.limits.find((limit) => limit.kind === 'confirmation') ?? {};
  return {
    rates: ratesOf(plan),
    ...(questionMs !== undefined && { questionMs }),
    ...(grantMs !== undefined && { grantMs }),
  };
}

function ratesOf(plan: Plan): Deferral['rates'] {
  return plan.limits.filter((limit): limit is RateLimit => limit.kind === 'rate').map(counted);
}

/**
 * Returns every counter that the step charged, because a rebuild of the ledger needs them. In observe mode, a call
 * counts in rates only if an enforced mandate would have allowed it or asked a person.
 */
function reservationOf(plan: Plan, facts: StepFacts, judgement: Judgement): Reservation | null {
  if (facts.leaseExpiresAtMs === null) return null;
  return {
    micros: facts.chargedMicros,
    charging: plan.charging,
    settling: plan.settling,
    budgets: plan.limits.filter((limit): limit is BudgetLimit => limit.kind === 'budget').map(counted),
    rates: judgement.observed === null || judgement.observed.verdict === 'DEFER' ? ratesOf(plan) : [],
    ...unitsOf(plan, facts),
    leaseMs: plan.leaseMs,
    ...(plan.opensTurn !== undefined && { opensTurn: plan.opensTurn }),
    ...(judgement.observed === null && countedIn(plan, facts)),
  };
}

/** Returns what the step charged in units other than money, with the counters. */
function unitsOf({ units, limits }: Plan, { chargedUnits }: StepFacts): Pick<Reservation, 'units'> {
  if (units === undefined || chargedUnits === undefined) return {};
  const reserved = mapUnits(units, ({ settling }, unit) => ({
    reserved: chargedUnits[unit] ?? 0,
    settling,
    limits: unitLimitsOf(limits, unit).map(counted),
  }));
  return { units: reserved as Reservation['units'] };
}

function countedIn({ limits }: Plan, facts: StepFacts): Pick<Reservation, 'turn'> | null {
  const turn = countedTurn(limits, facts.limits);
  return turn === undefined ? null : { turn };
}

/** Returns the limit without `otherLimits`. These are recorded with the check, and no counter depends on them. */
function counted<L extends BudgetLimit | UnitLimit | RateLimit>(limit: L): Omit<L, 'otherLimits'> {
  if (limit.otherLimits === undefined) return limit;
  const { otherLimits: _, ...own } = limit;
  return own;
}

/**
 * Returns what is left after this decision: the amount in the tightest budget, the amount in the tightest limit in
 * each other unit, and the calls in the tightest rate. Null or absent if there is no limit, or if no limit was checked.
 */
function remaining(
  plan: Plan,
  facts: StepFacts,
  took: Deferral | null,
): Pick<Decision, 'remainingMicros' | 'remainingTokens' | 'remainingToolCalls' | 'remainingCalls'> {
  const micros: number[] = [];
  const units: Record<CounterUnit, number[]> = { tokens: [], toolCalls: [] };
  const calls: number[] = [];
  const slots = took === null || took.rates.length === 0 ? 0 : 1;
  plan.limits.forEach((limit: Limit, at) => {
    const fact = facts.limits[at];
    if (limit.kind === 'budget' && fact?.kind === 'budget' && limit.maxMicros !== null) {
      // Released amounts may make this difference larger than a safe integer.
      const left = limit.maxMicros - fact.spentMicros - facts.chargedMicros;
      micros.push(Math.min(left, Number.MAX_SAFE_INTEGER));
    }
    if (isUnitLimit(limit) && fact !== undefined && 'used' in fact) {
      const left = limit.most - fact.used - (facts.chargedUnits?.[limit.kind] ?? 0);
      units[limit.kind].push(Math.min(left, Number.MAX_SAFE_INTEGER));
    }
    if (limit.kind === 'rate' && fact?.kind === 'rate' && limit.tool !== OPEN_CALLS) {
      calls.push(Math.max(0, limit.maxCalls - fact.calls - slots));
    }
  });
  return {
    remainingMicros: micros.length === 0 ? null : Math.min(...micros),
    ...(units.tokens.length > 0 && { remainingTokens: Math.min(...units.tokens) }),
    ...(units.toolCalls.length > 0 && { remainingToolCalls: Math.min(...units.toolCalls) }),
    remainingCalls: calls.length === 0 ? null : Math.min(...calls),
  };
}
