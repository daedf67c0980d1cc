/** What the model sees at each limit. */
import type { GrantState, LimitFact, StepRequest } from '@mandate/schemas';
import { commandMemoryMs, type DecideEvent, type History } from './history.ts';
import { calls, spent, waitUntil } from './spending.ts';

type Request = Pick<StepRequest, 'tenant' | 'agentId' | 'actionId' | 'digest'>;

export function limitFacts(history: History, { tenant, ...request }: StepRequest): LimitFact[] {
  const { reserveMicros } = request.plan;
  return request.plan.limits.map((limit): LimitFact => {
    if (limit.kind === 'confirmation') {
      const grant = grantOf(history, { tenant, ...request });
      return { kind: 'confirmation', ok: grant === 'granted', grant };
    }
    if (limit.kind === 'rate') {
      const fits = (then: History) => calls(then, tenant, limit) < limit.maxCalls;
      const ok = fits(history);
      const retryAfterMs = ok ? null : waitUntil(history, limit.windowMs, fits);
      return { kind: 'rate', calls: calls(history, tenant, limit), ok, retryAfterMs };
    }
    const fits = (then: History) => {
      const sum = BigInt(spent(then, tenant, limit)) + BigInt(reserveMicros);
      return sum <= BigInt(limit.maxMicros ?? Number.MAX_SAFE_INTEGER);
    };
    const ok = fits(history);
    const retryAfterMs =
      ok || limit.windowMs === null || limit.maxMicros === null
        ? null
        : waitUntil(history, limit.windowMs, fits);
    return { kind: 'budget', spentMicros: spent(history, tenant, limit), ok, retryAfterMs };
  });
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
