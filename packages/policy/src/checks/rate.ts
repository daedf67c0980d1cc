import type { Json, LimitFact, RateLimit } from '@mandate/schemas';
import { personCounter } from '@mandate/schemas/core';
import { mostCallsBefore } from '@mandate/step';
import type { Policy, Rate } from '../mandate/mandate.ts';
import { byCounter, nameIn, withResult } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under, type Words } from './check.ts';

export type RateFact = Extract<LimitFact, { kind: 'rate' }>;

export const toolRate: LimitCheck<RateLimit, RateFact> = {
  name: 'tool-rate',
  limits: (calls) => strictestOf(calls, ({ tool }) => tool?.rate ?? null, 'tool'),
  evidence,
  violation,
};

export const mandateRate: LimitCheck<RateLimit, RateFact> = {
  name: 'mandate-rate',
  limits: (calls) => strictestOf(calls, ({ policy }) => policy.rate, null),
  evidence,
  violation,
};

/**
 * Rates with different windows or agents use different counters, and all of them apply. Of several rates on one
 * counter, only the lowest applies.
 */
function strictestOf(
  calls: readonly Calls[],
  rateOf: (calls: Calls) => Rate | null,
  of: 'tool' | null,
): LimitOf<RateLimit>[] {
  const rates = calls.flatMap((ofPolicy) => {
    const rate = rateOf(ofPolicy);
    const { name, ancestor } = ofPolicy.policy;
    return rate === null ? [] : [{ ...rate, scope: rate.scope ?? ('agent' as const), name, ancestor }];
  });
  return byCounter(rates, counterOf, mostOf)
    .toSorted(({ strictest: one }, { strictest: other }) => one.windowMs - other.windowMs)
    .map(({ strictest, others }) => {
      const { maxCalls, windowMs, ancestor, scope } = strictest;
      const toolOf = (name: string) => (of === null ? null : name);
      const ofAgent: LimitOf<RateLimit> = ({ action, name }) => ({
        kind: 'rate',
        agentId: ancestor ?? action.agentId,
        tool: toolOf(name),
        maxCalls,
        windowMs,
      });
      const ofPerson: LimitOf<RateLimit> = ({ action, name }) => ({
        kind: 'rate',
        scope: 'principal',
        agentId: personCounter(action.principal?.id),
        tool: toolOf(name),
        maxCalls,
        windowMs,
      });
      const otherLimits = others.map((one) => ({ ...nameIn(one), maxCalls: one.maxCalls }));
      return under(strictest, scope === 'principal' ? ofPerson : ofAgent, otherLimits);
    });
}

/** The counter of a person does not depend on the agent that has the policy. */
function counterOf({ windowMs, ancestor, scope }: Rate & Pick<Policy, 'ancestor'>): string {
  return JSON.stringify(scope === 'principal' ? [windowMs, scope] : [windowMs, scope, ancestor]);
}

function mostOf({ maxCalls }: Rate): number {
  return maxCalls;
}

function evidence(
  { maxCalls, windowMs, scope, otherLimits }: RateLimit,
  { calls, retryAfterMs }: RateFact,
): Json {
  const counted = { calls, maxCalls, windowMs, retryAfterMs };
  const seen = scope === undefined ? counted : { scope, ...counted };
  if (otherLimits === undefined) return seen;
  return {
    ...seen,
    otherLimits: otherLimits.map((one) => withResult(one, calls <= mostCallsBefore(one.maxCalls))),
  };
}

function violation(
  { tool, maxCalls, windowMs, ancestor, scope }: RateLimit,
  { calls, retryAfterMs }: RateFact,
): Words {
  const ofTool = tool === null ? 'All calls' : `Calls of "${tool}"`;
  const of = ancestor === undefined ? '' : ` by "${ancestor}" and its descendants`;
  const what = `${ofTool}${scope === 'principal' ? ' for one person' : of}`;
  return {
    reason: `${what} are limited to ${maxCalls} in ${windowMs} ms; ${calls} were made.`,
    remedy:
      retryAfterMs === null
        ? 'Waiting does not help: the limit admits no call at all.'
        : 'Try again, as the next attempt of the same action, after retryAfterMs.',
  };
}
