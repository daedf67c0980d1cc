import type { Json, LimitFact, RateLimit } from '@mandate/schemas';
import type { LimitCheck, Objection } from './check.ts';

type RateFact = Extract<LimitFact, { kind: 'rate' }>;

export const toolRate: LimitCheck<RateLimit, RateFact> = {
  name: 'tool-rate',
  limits({ tool }) {
    if (tool?.rate == null) return [];
    const { maxCalls, windowMs } = tool.rate;
    return [
      ({ action, name }) => ({ kind: 'rate', agentId: action.agentId, tool: name, maxCalls, windowMs }),
    ];
  },
  saw,
  objection,
};

export const mandateRate: LimitCheck<RateLimit, RateFact> = {
  name: 'mandate-rate',
  limits({ mandate }) {
    if (mandate.rate === null) return [];
    const { maxCalls, windowMs } = mandate.rate;
    return [({ action }) => ({ kind: 'rate', agentId: action.agentId, tool: null, maxCalls, windowMs })];
  },
  saw,
  objection,
};

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
