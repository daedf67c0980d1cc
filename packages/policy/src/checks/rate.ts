import type { Json, LimitFact, RateLimit } from '@mandate/schemas';
import type { Policy, Rate } from '../mandate/mandate.ts';
import { type Calls, type LimitCheck, type LimitOf, type Objection, under } from './check.ts';

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

/** Rates of other windows or other agents are other counters, and all hold; of one counter the lowest does. */
function strictestOf(
  calls: readonly Calls[],
  rateOf: (calls: Calls) => Rate | null,
  of: 'tool' | null,
): LimitOf<RateLimit>[] {
  const strictest = new Map<string, Rate & Pick<Policy, 'name' | 'holder'>>();
  for (const ofPolicy of calls) {
    const rate = rateOf(ofPolicy);
    if (rate === null) continue;
    const { name, holder } = ofPolicy.policy;
    const counter = JSON.stringify([rate.windowMs, holder]);
    const known = strictest.get(counter);
    if (known === undefined || rate.maxCalls < known.maxCalls)
      strictest.set(counter, { ...rate, name, holder });
  }
  return [...strictest.values()]
    .toSorted((one, other) => one.windowMs - other.windowMs)
    .map(({ maxCalls, windowMs, ...policy }) => {
      const { holder } = policy;
      const ofMandate: LimitOf<RateLimit> = ({ action, name }) => ({
        kind: 'rate',
        agentId: holder ?? action.agentId,
        tool: of === null ? null : name,
        maxCalls,
        windowMs,
      });
      return under(policy, ofMandate);
    });
}

function saw({ maxCalls, windowMs }: RateLimit, { calls, retryAfterMs }: RateFact): Json {
  return { calls, maxCalls, windowMs, retryAfterMs };
}

function objection(
  { tool, maxCalls, windowMs, holder }: RateLimit,
  { calls, retryAfterMs }: RateFact,
): Objection {
  const ofTool = tool === null ? 'All calls' : `Calls of "${tool}"`;
  const what = holder === undefined ? ofTool : `${ofTool} by "${holder}" and those below it`;
  return {
    code: 'RATE_LIMIT_EXCEEDED',
    reason: `${what} are limited to ${maxCalls} in ${windowMs} ms; ${calls} were made.`,
    remedy:
      retryAfterMs === null
        ? 'Waiting does not help: the limit admits no call at all.'
        : 'Try again, as the next attempt of the same action, after retryAfterMs.',
  };
}
