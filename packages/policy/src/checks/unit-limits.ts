import type { LimitFact, UnitLimit } from '@mandate/schemas';
import { COUNTER_UNITS, type CounterUnit, UNIT_NAMES } from '@mandate/schemas/core';
import { mostSpentBefore } from '@mandate/step';
import { areTenantLimits } from '../attribution.ts';
import type { UnitLimitRule } from '../mandate/mandate.ts';
import { byCounter, type Counter, nameIn, withResult } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under } from './check.ts';
import { counterOf, ofPolicy, rankOf, type SharedCounter, subjectOf } from './shared-counters.ts';

type UnitFact = Extract<LimitFact, { kind: CounterUnit }>;
type UnitCheck = LimitCheck<UnitLimit, UnitFact>;

/** The limits on LLM calls in units other than money. Calls of tools use no such unit, so the limits do not apply. */
export const unitLimits: Readonly<Record<CounterUnit, UnitCheck>> = {
  tokens: limitsIn('tokens', {
    refusal: (used) => `${used} are used, and this call does not fit`,
    askForLess: 'Ask for fewer tokens',
  }),
  toolCalls: limitsIn('toolCalls', {
    refusal: (used) => `answers of models have asked for ${used}, and there is no room for one more`,
    askForLess: null,
  }),
};

export const allUnitLimits: readonly UnitCheck[] = COUNTER_UNITS.map((unit) => unitLimits[unit]);

/** `askForLess`: what the caller can do if a smaller call fits. Null if all calls reserve the same. */
type UnitWords = { refusal(used: number): string; askForLess: string | null };

function limitsIn(unit: CounterUnit, words: UnitWords): UnitCheck {
  const { check, noun } = UNIT_NAMES[unit];
  return {
    name: check,
    limits(calls) {
      return byCounter(
        calls.flatMap((one) => limitedUnder(one, unit)),
        counterOf,
        ({ most }) => most,
      )
        .toSorted(({ strictest: one }, { strictest: other }) => rankOf(one) - rankOf(other))
        .map((counter) => limitOf(unit, counter));
    },
    evidence({ scope, id, windowMs, most, otherLimits }, { used, retryAfterMs }, reserve) {
      const seen = { scope, id, windowMs, used, reserve, most, retryAfterMs };
      if (otherLimits === undefined) return seen;
      const fits = (one: { most: number }) => used <= mostSpentBefore(one.most, reserve);
      return { ...seen, otherLimits: otherLimits.map((one) => withResult(one, fits(one))) };
    },
    violation({ scope, id, windowMs, most, policy, ancestor }, { used, retryAfterMs }) {
      const period = windowMs === null ? '' : ` in ${windowMs} ms`;
      // The reason ends with the name of the policy, and the name of an ancestor's policy contains the ancestor.
      const isToName = ancestor !== undefined && (scope === 'agent' || policy === undefined);
      const whose = isToName ? ` of "${ancestor}"` : '';
      return {
        reason: `The ${scope} limit "${id}"${whose} is ${most} ${noun}${period}; ${words.refusal(used)}.`,
        remedy: remedyFor(words, { windowMs, retryAfterMs, isOfPlane: areTenantLimits(policy) }),
      };
    },
  };
}

function remedyFor(
  { askForLess }: UnitWords,
  of: { windowMs: number | null; retryAfterMs: number | null; isOfPlane: boolean },
): string {
  const raise = of.isOfPlane ? 'have the operator of the plane raise the limit' : 'raise the limit';
  if (of.retryAfterMs !== null)
    return `Try again, as the next attempt of the same action, after retryAfterMs; or ${raise}.`;
  if (askForLess === null)
    return `${raise.charAt(0).toUpperCase()}${raise.slice(1)}. Then ask under a new id.`;
  if (of.windowMs !== null) return `${askForLess}, under a new id; or ${raise}.`;
  return `${askForLess}, or ${raise}. Then ask under a new id.`;
}

type Limited = SharedCounter & UnitLimitRule;

function limitedUnder({ judgedAs, policy }: Calls, unit: CounterUnit): readonly Limited[] {
  return judgedAs === 'model' ? policy.unitLimits[unit].map((limit) => ofPolicy(limit, policy)) : [];
}

function limitOf(kind: CounterUnit, { strictest, others }: Counter<Limited>): LimitOf<UnitLimit> {
  const { id, scope, windowMs, most, owner } = strictest;
  const ofMandate: LimitOf<UnitLimit> = ({ action }) => {
    const subject = subjectOf(scope, action, owner);
    return { kind, scope, subject, id, windowMs, most };
  };
  const otherLimits = others.map((one) => ({ ...nameIn(one), most: one.most }));
  return under(strictest, ofMandate, otherLimits);
}
