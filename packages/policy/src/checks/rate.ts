import type { Json, LimitFact, RateLimit } from '@mandate/schemas';
import type { Policy, Rate } from '../mandate/mandate.ts';
import {
  type Calls,
  type LimitCheck,
  type LimitOf,
  type Objection,
  saidIf,
  strictestOf,
  under,
} from './check.ts';

type RateFact = Extract<LimitFact, { kind: 'rate' }>;

export const toolRate: LimitCheck<RateLimit, RateFact> = {
  name: 'tool-rate',
  limits: (calls) => ratesOf(calls, ({ tool }) => tool?.rate ?? null, 'tool'),
  saw,
  objection,
};

export const mandateRate: LimitCheck<RateLimit, RateFact> = {
  name: 'mandate-rate',
  limits: (calls) => ratesOf(calls, ({ policy }) => policy.rate, null),
  saw,
  objection,
};

type OfPolicy = Rate & Pick<Policy, 'name' | 'holder'>;

/** Rates of other windows or other agents are other counters, and all hold; of one counter the lowest does. */
function ratesOf(
  calls: readonly Calls[],
  rateOf: (calls: Calls) => Rate | null,
  of: 'tool' | null,
): LimitOf<RateLimit>[] {
  const all = calls.flatMap((ofPolicy): OfPolicy[] => {
    const rate = rateOf(ofPolicy);
    const { name, holder } = ofPolicy.policy;
    return rate === null ? [] : [{ ...rate, name, holder }];
  });
  const counters = Map.groupBy(all, ({ windowMs, holder }) => JSON.stringify([windowMs, holder]));
  return [...counters.values()]
    .map((rates) => strictestOf(rates, ({ maxCalls }) => maxCalls))
    .toSorted((one, other) => one.strictest.windowMs - other.strictest.windowMs)
    .map(({ strictest: { maxCalls, windowMs, ...policy }, others }) => {
      const { holder } = policy;
      const also = alsoOf(others);
      const ofMandate: LimitOf<RateLimit> = ({ action, name }) => ({
        kind: 'rate',
        agentId: holder ?? action.agentId,
        tool: of === null ? null : name,
        maxCalls,
        windowMs,
        ...also,
      });
      return under(policy, ofMandate);
    });
}

function alsoOf(others: readonly OfPolicy[]): Pick<RateLimit, 'also'> {
  const also = others.flatMap(({ name, maxCalls }) => (name === null ? [] : { policy: name, maxCalls }));
  return also.length === 0 ? {} : { also };
}

function saw({ maxCalls, windowMs, also }: RateLimit, { calls, retryAfterMs }: RateFact): Json {
  const saw = { calls, maxCalls, windowMs, retryAfterMs };
  if (also === undefined) return saw;
  return { ...saw, also: also.map((one) => ({ ...one, said: saidIf(calls < one.maxCalls) })) };
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
