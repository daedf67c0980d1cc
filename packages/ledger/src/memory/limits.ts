/** Looks at every limit of a plan, charging nothing. */
import type { BudgetLimit, Limit, LimitFact, RateLimit, StepRequest } from '@mandate/schemas';
import { callsIn, waitForRoom, waitForSlot } from '@mandate/step';
import { type Counters, findCounter, findRate, spentIn } from './counters.ts';
import { waitingOf } from './deferrals.ts';
import { grantState } from './grants.ts';
import type { TenantState } from './remembered.ts';

export function lookAtLimits(tenant: TenantState, request: StepRequest, nowMs: number): LimitFact[] {
  return request.plan.limits.map((limit) => lookAt(tenant, request, limit, nowMs));
}

function lookAt(tenant: TenantState, request: StepRequest, limit: Limit, nowMs: number): LimitFact {
  if (limit.kind === 'budget') {
    return lookAtBudget(tenant.counters, limit, request.plan.reserveMicros, nowMs);
  }
  if (limit.kind === 'rate') return lookAtRate(tenant.counters, limit, nowMs);
  const grant = grantState(tenant.grants, request, nowMs);
  const waiting = waitingOf(tenant.agents.get(request.agentId), nowMs);
  return { kind: 'confirmation', ok: grant === 'granted', grant, waiting };
}

function lookAtBudget(
  counters: Counters,
  limit: BudgetLimit,
  reserveMicros: number,
  nowMs: number,
): LimitFact {
  const counter = findCounter(counters, limit);
  const spentMicros = counter === undefined ? 0 : spentIn(counter, nowMs);
  const maxMicros = limit.maxMicros ?? Number.MAX_SAFE_INTEGER;
  // Compared by what is left, as a sum beyond 2^53-1 would not be exact.
  const ok = spentMicros <= maxMicros - reserveMicros;
  const sliding = ok || reserveMicros > maxMicros ? null : (counter?.sliding ?? null);
  const frees = sliding !== null && limit.maxMicros !== null;
  const retryAfterMs = frees ? waitForRoom(sliding, maxMicros - reserveMicros, nowMs) : null;
  return { kind: 'budget', spentMicros, ok, retryAfterMs };
}

function lookAtRate(counters: Counters, limit: RateLimit, nowMs: number): LimitFact {
  const rate = findRate(counters, limit);
  const calls = rate === undefined ? 0 : callsIn(rate, nowMs);
  const ok = calls < limit.maxCalls;
  const frees = !ok && limit.maxCalls > 0 && rate !== undefined;
  const retryAfterMs = frees ? waitForSlot(rate, limit.maxCalls, nowMs) : null;
  return { kind: 'rate', calls, ok, retryAfterMs };
}
