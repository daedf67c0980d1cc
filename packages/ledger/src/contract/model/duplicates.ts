/** Finds the first decision for a request that may be a duplicate. Only decisions that still count are searched. */
import type { FirstDecision, StepRequest } from '@mandate/schemas';
import { type DecideEvent, eventsOf, type History, isRemembered } from './history.ts';
import { grantOf } from './limits.ts';
import { publishedVerdict } from './verdict.ts';

/** Returns the decisions that still count. Duplicates, forgotten decisions and replaced decisions do not count. */
export function validDecisions(history: History, of: Pick<StepRequest, 'tenant' | 'agentId'>): DecideEvent[] {
  const own = eventsOf(history, 'decide').filter(
    ({ request, facts }) =>
      request.tenant === of.tenant &&
      request.agentId === of.agentId &&
      facts.first === null &&
      !facts.unremembered,
  );
  return own.filter(
    (event, at) =>
      isRemembered(history, event) &&
      !own
        .slice(at + 1)
        .some(
          ({ request }) =>
            request.actionId === event.request.actionId && request.attempt === event.request.attempt,
        ),
  );
}

export function verdictOf(event: DecideEvent) {
  return publishedVerdict(event.request.plan, event.facts);
}

export function firstOf(history: History, request: StepRequest): FirstDecision | null {
  const known = validDecisions(history, request);
  const event = sameAction(history, known, request) ?? sameKey(known, request);
  if (event === undefined) return null;
  const { verdict, code } = verdictOf(event);
  return {
    source: event.request.source,
    appendedAtMs: event.request.appendedAtMs,
    kind: event.facts.late ? 'expired' : 'first',
    actionId: event.request.actionId,
    attempt: event.request.attempt,
    verdict,
    code,
    samePayload: event.request.digest === request.digest,
  };
}

function sameAction(history: History, known: DecideEvent[], request: StepRequest): DecideEvent | undefined {
  const attempts = known.filter((event) => event.request.actionId === request.actionId);
  const same = attempts.find((event) => event.request.attempt === request.attempt);
  if (same !== undefined) {
    const answered = same.request.digest === request.digest && grantOf(history, request) !== 'none';
    return verdictOf(same).verdict === 'DEFER' && answered ? undefined : same;
  }
  const latest = highest(attempts);
  if (latest === undefined || request.attempt < latest.request.attempt) return latest;
  return retriable(history, latest) ? undefined : latest;
}

/** Returns the decision that counts for the highest attempt of an action. */
export function latestOf(
  history: History,
  { actionId, ...of }: Pick<StepRequest, 'tenant' | 'agentId' | 'actionId'>,
): DecideEvent | undefined {
  return highest(validDecisions(history, of).filter(({ request }) => request.actionId === actionId));
}

function sameKey(known: DecideEvent[], request: StepRequest): DecideEvent | undefined {
  if (request.idempotencyKey === null) return undefined;
  const owner = known.find((event) => event.request.idempotencyKey === request.idempotencyKey)?.request
    .actionId;
  if (owner === undefined || owner === request.actionId) return undefined;
  return highest(known.filter((event) => event.request.actionId === owner));
}

function highest(attempts: DecideEvent[]): DecideEvent | undefined {
  return attempts.toSorted((a, b) => b.request.attempt - a.request.attempt)[0];
}

function retriable(history: History, event: DecideEvent): boolean {
  const { verdict, final } = verdictOf(event);
  if (verdict !== 'ALLOW') return verdict === 'BLOCK' && !final;
  const outcome = eventsOf(history, 'settle').find((settled) => settled.of === event)?.request;
  if (outcome === undefined) return (event.facts.leaseExpiresAtMs ?? 0) <= history.nowMs;
  return outcome.status !== 'success' || outcome.verified === false;
}
