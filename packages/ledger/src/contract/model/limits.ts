/** The model's facts about each limit of a plan. */
import type { GrantState, LimitFact, StepRequest } from '@mandate/schemas';
import type { BudgetReference } from '../../port.ts';
import { answered, waiting } from './deferrals.ts';
import { commandMemoryMs, type DecideEvent, type History } from './history.ts';
import { calls, spent, unitCounter, waitUntil } from './spending.ts';
import { turnFactOf } from './turns.ts';

type Request = Pick<StepRequest, 'tenant' | 'agentId' | 'actionId' | 'digest'>;

export function limitFacts(history: History, request: StepRequest): LimitFact[] {
  const { tenant, plan } = request;
  const { reserveMicros } = plan;
  // If a person has answered this request, the slots of its DEFER do not count against the request.
  const own = grantOf(history, request) === 'none' ? null : answered(history, request);
  return plan.limits.map((limit): LimitFact => {
    if (limit.kind === 'confirmation') {
      const grant = grantOf(history, request);
      return { kind: 'confirmation', ok: grant === 'granted', grant, waiting: waiting(history, request) };
    }
    if (limit.kind === 'turn') {
      const asks = plan.limits.some(({ kind }) => kind === 'confirmation');
      return turnFactOf(history, request, limit, asks && grantOf(history, request) === 'granted');
    }
    if (limit.kind === 'rate') {
      const called = (then: History) => calls(then, tenant, limit, own);
      const fits = (then: History) => called(then) < limit.maxCalls;
      const ok = fits(history);
      const retryAfterMs = ok ? null : waitUntil(history, limit.windowMs, fits);
      return { kind: 'rate', calls: called(history), ok, retryAfterMs };
    }
    if (limit.kind !== 'budget') {
      const found = sumFact(history, tenant, unitCounter(limit), {
        most: limit.most,
        reserve: plan.units?.[limit.kind]?.reserve ?? 0,
      });
      return { kind: limit.kind, used: found.spent, ok: found.ok, retryAfterMs: found.retryAfterMs };
    }
    const found = sumFact(history, tenant, limit, { most: limit.maxMicros, reserve: reserveMicros });
    return { kind: 'budget', spentMicros: found.spent, ok: found.ok, retryAfterMs: found.retryAfterMs };
  });
}

function sumFact(
  history: History,
  tenant: string,
  budget: BudgetReference,
  { most, reserve }: { most: number | null; reserve: number },
): { spent: number; ok: boolean; retryAfterMs: number | null } {
  const fits = (then: History) =>
    BigInt(spent(then, tenant, budget)) + BigInt(reserve) <= BigInt(most ?? Number.MAX_SAFE_INTEGER);
  const ok = fits(history);
  const retryAfterMs =
    ok || budget.windowMs === null || most === null ? null : waitUntil(history, budget.windowMs, fits);
  return { spent: spent(history, tenant, budget), ok, retryAfterMs };
}

export function grantOf(history: History, request: Request): GrantState {
  const concerns = (other: Request) =>
    other.tenant === request.tenant &&
    other.agentId === request.agentId &&
    other.actionId === request.actionId &&
    other.digest === request.digest;
  const last = history.events.findLast(
    (event) =>
      (event.type === 'approve' && concerns(event.approval)) ||
      (event.type === 'decide' && concerns(event.request) && usedGrant(event)),
  );
  if (last?.type !== 'approve') return 'none';
  const { answer, expiresAtMs } = last.approval;
  if (history.nowMs >= Math.max(last.atMs, expiresAtMs) + commandMemoryMs(history)) return 'none';
  if (answer === 'denied') return 'denied';
  return history.nowMs < expiresAtMs ? 'granted' : 'expired';
}

function usedGrant(event: DecideEvent): boolean {
  const confirmed = event.facts.limits.some(
    (fact) => fact.kind === 'confirmation' && fact.grant === 'granted',
  );
  return event.facts.leaseExpiresAtMs !== null && confirmed;
}
