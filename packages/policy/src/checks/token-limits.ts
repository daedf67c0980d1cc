import type { LimitFact, TokenLimit } from '@mandate/schemas';
import { TOTAL_BUDGET } from '@mandate/schemas/core';
import { mostSpentBefore } from '@mandate/step';
import { areTenantLimits } from '../attribution.ts';
import { byCounter, type Counter, nameIn, withResult } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under } from './check.ts';
import { counterOf, ofPolicy, rankOf, type SharedCounter, subjectOf } from './shared-counters.ts';

type TokenFact = Extract<LimitFact, { kind: 'tokens' }>;

/** The limits on the tokens of LLM calls. Calls of tools use no tokens, so these limits do not apply to them. */
export const tokenLimits: LimitCheck<TokenLimit, TokenFact> = {
  name: 'tokens',
  limits(calls) {
    return byCounter(calls.flatMap(limitedUnder), counterOf, ({ maxTokens }) => maxTokens)
      .toSorted(({ strictest: one }, { strictest: other }) => rankOf(one) - rankOf(other))
      .map(limitOf);
  },
  evidence({ scope, id, windowMs, maxTokens, otherLimits }, { usedTokens, retryAfterMs }, callTokens) {
    const seen = { scope, id, windowMs, usedTokens, callTokens, maxTokens, retryAfterMs };
    if (otherLimits === undefined) return seen;
    const fits = (one: { maxTokens: number }) => usedTokens <= mostSpentBefore(one.maxTokens, callTokens);
    return { ...seen, otherLimits: otherLimits.map((one) => withResult(one, fits(one))) };
  },
  violation({ scope, id, windowMs, maxTokens, policy, ancestor }, { usedTokens, retryAfterMs }) {
    const period = windowMs === null ? '' : ` in ${windowMs} ms`;
    // The reason ends with the name of the policy, and the name of an ancestor's policy contains the ancestor.
    const isToName = ancestor !== undefined && (scope === 'agent' || policy === undefined);
    const whose = isToName ? ` of "${ancestor}"` : '';
    return {
      reason:
        `The ${scope} limit "${id}"${whose} is ${maxTokens} tokens${period}; ` +
        `${usedTokens} are used, and this call does not fit.`,
      remedy: remedyFor({ windowMs, retryAfterMs, isOfPlane: areTenantLimits(policy) }),
    };
  },
};

function remedyFor(of: { windowMs: number | null; retryAfterMs: number | null; isOfPlane: boolean }): string {
  const raise = of.isOfPlane ? 'have the operator of the plane raise the limit' : 'raise the limit';
  if (of.retryAfterMs !== null)
    return `Try again, as the next attempt of the same action, after retryAfterMs; or ${raise}.`;
  if (of.windowMs !== null) return `Ask for fewer tokens, under a new id; or ${raise}.`;
  return `Ask for fewer tokens, or ${raise}. Then ask under a new id.`;
}

type Limited = SharedCounter & { maxTokens: number };

function limitedUnder({ judgedAs, policy }: Calls): readonly Limited[] {
  if (judgedAs !== 'model') return [];
  const { maxTokensTotal, tokenWindows } = policy;
  const total = { id: TOTAL_BUDGET, scope: 'agent', windowMs: null } as const;
  return [...(maxTokensTotal === null ? [] : [{ ...total, maxTokens: maxTokensTotal }]), ...tokenWindows].map(
    (limit) => ofPolicy(limit, policy),
  );
}

function limitOf({ strictest, others }: Counter<Limited>): LimitOf<TokenLimit> {
  const { id, scope, windowMs, maxTokens, owner } = strictest;
  const ofMandate: LimitOf<TokenLimit> = ({ action }) => {
    const subject = subjectOf(scope, action, owner);
    return { kind: 'tokens', scope, subject, id, windowMs, maxTokens };
  };
  const otherLimits = others.map((one) => ({ ...nameIn(one), maxTokens: one.maxTokens }));
  return under(strictest, ofMandate, otherLimits);
}
