import type { Json, LimitFact, RateLimit } from '@mandate/schemas';
import type { Rate } from '../mandate/mandate.ts';
import type { Calls, LimitCheck, LimitOf, Objection } from './check.ts';

type RateFact = Extract<LimitFact, { kind: 'rate' }>;

export const toolRate: LimitCheck<RateLimit, RateFact> = {
  name: 'tool-rate',
  limits: (calls) => strictestOf(calls, ({ tool }) => tool?.rate ?? null, 'tool'),
  saw,
  objection,
};

export const mandateRate: LimitCheck<RateLimit, RateFact> = {
  name: 'mandate-rate',
  limits: (calls) => strictestOf(calls, ({ policy }) => policy.rate, null),
  saw,
  objection,
};

/** Rates of other windows are other counters, and all hold; of one counter the lowest does. */
function strictestOf(
  calls: readonly Calls[],
  rateOf: (calls: Calls) => Rate | null,
  of: 'tool' | null,
): LimitOf<RateLimit>[] {
  const byWindow = new Map<number, { maxCalls: number; policy: string | null }>();
  for (const ofPolicy of calls) {
    const rate = rateOf(ofPolicy);
    if (rate === null) continue;
    const known = byWindow.get(rate.windowMs);
    if (known === undefined || rate.maxCalls < known.maxCalls)
      byWindow.set(rate.windowMs, { maxCalls: rate.maxCalls, policy: ofPolicy.policy.name });
  }
  return [...byWindow]
    .toSorted(([one], [other]) => one - other)
    .map(([windowMs, { maxCalls, policy }]) => {
      const ofMandate: LimitOf<RateLimit> =
        of === null
          ? ({ action }) => ({ kind: 'rate', agentId: action.agentId, tool: null, maxCalls, windowMs })
          : ({ action, name }) => ({ kind: 'rate', agentId: action.agentId, tool: name, maxCalls, windowMs });
      return policy === null ? ofMandate : (subject) => ({ ...ofMandate(subject), policy });
    });
}

function saw({ maxCalls, windowMs }: RateLimit, { calls, retryAfterMs }: RateFact): Json {
  return { calls, maxCalls, windowMs, retryAfterMs };
}

function objection({ tool, maxCalls, windowMs }: RateLimit, { calls, retryAfterMs }: RateFact): Objection {
  const what = tool === null ? 'All calls' : `Calls of "${tool}"`;
  return {
    code: 'RATE_LIMIT_EXCEEDED',
    reason: `${what} are limited to ${maxCalls} in ${windowMs} ms; ${calls} were made.`,
    remedy:
      retryAfterMs === null
        ? 'Waiting does not help: the limit admits no call at all.'
        : 'Try again, as the next attempt of the same action, after retryAfterMs.',
  };
}
