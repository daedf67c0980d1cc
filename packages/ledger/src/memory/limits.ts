/** Checks all limits of a plan without charging them. */
import type { Limit, LimitFact, StepRequest } from '@mandate/schemas';
import { budgetFact, counterOfUnit, isUnitLimit, rateFact, turnFact, turnOf, unitFact } from '@mandate/step';
import { findCounter, findRate } from './counters.ts';
import { waitingOf } from './deferrals.ts';
import { grantState } from './grants.ts';
import type { TenantState } from './remembered.ts';

export function checkLimits(tenant: TenantState, request: StepRequest, nowMs: number): LimitFact[] {
  return request.plan.limits.map((limit) => limitFactOf(tenant, request, limit, nowMs));
}

function limitFactOf(tenant: TenantState, request: StepRequest, limit: Limit, nowMs: number): LimitFact {
  const { counters } = tenant;
  if (limit.kind === 'budget') {
    return budgetFact(findCounter(counters, limit), limit, request.plan.reserveMicros, nowMs);
  }
  if (isUnitLimit(limit)) {
    const { reserve = 0 } = request.plan.units?.[limit.kind] ?? {};
    return unitFact(findCounter(counters, counterOfUnit(limit)), limit, reserve, nowMs);
  }
  if (limit.kind === 'rate') return rateFact(findRate(counters, limit), limit, nowMs);
  if (limit.kind === 'turn') {
    const asks = request.plan.limits.some(({ kind }) => kind === 'confirmation');
    const isGranted = asks && grantState(tenant.grants, request, nowMs) === 'granted';
    return turnFact(turnOf(tenant.turns, limit, nowMs), limit, nowMs, isGranted);
  }
  const grant = grantState(tenant.grants, request, nowMs);
  const waiting = waitingOf(tenant.agents.get(request.agentId), nowMs);
  return { kind: 'confirmation', ok: grant === 'granted', grant, waiting };
}
