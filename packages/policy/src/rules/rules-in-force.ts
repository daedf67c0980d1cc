/**
 * Finds the mandate for an action from the rules. Three results are cached, each by the data that it depends on: the
 * rules that can match an agent at all; the rules among them that match, by the fields that their conditions read;
 * and the mandate composed from a set of policies, which agents share. So the cost of a decision grows neither with
 * policies nor with rules. The steps for one action are limited, and a cached result counts with the same steps.
 */
import type { Action } from '@mandate/schemas';
import { compose, missingPolicy, type NamedPolicy, withTenantLimits } from '../mandate/compose.ts';
import type { Mandate } from '../mandate/mandate.ts';
import { recentlyUsed } from '../recently-used.ts';
import { holdsAt, type ValidityInterval } from '../validity-interval.ts';
import {
  type AgentAttributes,
  type Candidate,
  consumeCost,
  fits,
  keyOf,
  matchingRules,
  type StepBudgets,
  type StepCost,
  stepBudgetsOfAction,
} from './ask-rules.ts';
import { claimsOf } from './claims.ts';
import type { ConditionSubject } from './condition.ts';
import type { Rule } from './rule.ts';
import { type Candidates, isInShadow, type RulesOfAgents, rulesOfAgents } from './rules-of-agents.ts';

/**
 * `agent`: the ancestor that the rule matches. Absent if the rule matches the agent itself. `claims`: the claims of
 * the caller that the rule used. Absent if there are none.
 */
type RuleMatch = { rule: string; policy: string; mode: Rule['mode']; agent?: string; claims?: string[] };

/**
 * The result for one action. It is valid as long as the same rules match. Rules in shadow have their own validity.
 */
export type Resolved = {
  /** The mandate that is enforced or observed. Null if no rule matches. Then nothing is allowed. */
  mandate: Mandate | null;
  /** The mandate as if the rules in shadow were in force too. Null if no such rule matches. */
  shadow: InShadow | null;
  /** The matching rules, in the order of the rules. */
  matches: readonly RuleMatch[];
  /** The ancestors of the agent, the nearest first. Absent if there are none. */
  ancestors?: readonly string[];
  /**
   * Present if finding the rules exceeded the step budget: the rule that used the most steps, and the ancestor that
   * it was evaluated for, if any. Then nothing is allowed.
   */
  tooCostly?: { rule: string; agent?: string };
  /** The steps of the enforced rules. Rules in shadow have their own step budget. */
  steps: number;
} & ValidityInterval;

export type InShadow = ValidityInterval & {
  /**
   * The mandate that also contains the policies of the matching rules in shadow. Null if the search for these rules
   * exceeded the step budget.
   */
  mandate: Mandate | null;
  /**
   * The matching rules in shadow, and the policies that they name. If the step budget was exceeded, only the rule
   * that used the most steps.
   */
  rules: readonly string[];
  policies: readonly string[];
  steps: number;
};

/** Finds mandates for one state of rules and policies. Another state needs another object. */
export type RulesInForce = {
  /**
   * @param agent must be the same object until the agent changes
   * @param stepBudgets the step budgets for the action. The remaining steps are for the next agent that is evaluated
   *   for this action
   */
  resolve(agent: AgentAttributes, action: Action, atMs: number, stepBudgets?: StepBudgets): Resolved;
};

/** Returns a policy. `version` null means the latest version. Null if the policy does not exist or was archived. */
export type PolicyLookup = (id: string, version: number | null) => NamedPolicy | null;

/** The sizes of the caches. Each cache contains at most twice as many entries. */
export type Remembered = { agents: number; answers: number; mandates: number };

const OF_A_TENANT: Remembered = { agents: 10_000, answers: 20_000, mandates: 500 };
/** The id of a mandate that is composed from rules. A mandate from a grant has another id. */
export const COMPOSED = 'rules';

/**
 * @param tenantLimits a policy that every mandate contains; without a matching rule there is still no mandate
 * @param options.id the id of the composed mandates
 */
export function rulesInForce(
  rules: readonly Rule[] | RulesOfAgents,
  policyOf: PolicyLookup,
  tenantLimits: NamedPolicy | null = null,
  { id = COMPOSED, remembered = OF_A_TENANT }: { id?: string; remembered?: Remembered } = {},
): RulesInForce {
  const answers = recentlyUsed<Answer>(remembered.answers);
  const mandates = recentlyUsed<Mandate>(remembered.mandates);
  const ofAgents = 'of' in rules ? rules : rulesOfAgents(rules, remembered.agents);

  function answer(
    candidates: Candidates,
    subject: ConditionSubject,
    atMs: number,
    stepBudgets: StepBudgets,
  ): Answer {
    const { enforced, shadow } = candidates;
    if (!enforced.ok) return nothingKnown(enforced.mostExpensive, { holdsFromMs: 0, holdsUntilMs: null });
    const ofEnforced = validityOf(enforced.holding, atMs);
    const held = matchingRules(enforced.holding, subject, atMs, stepBudgets.enforced);
    if (!held.ok) return nothingKnown(held.mostExpensive, ofEnforced);
    const ofAll = validityOf([...enforced.holding, ...(shadow.ok ? shadow.holding : [])], atMs);
    const watched = shadow.ok ? matchingRules(shadow.holding, subject, atMs, stepBudgets.shadow) : shadow;
    const matching = [...held.holding, ...(watched.ok ? watched.holding : [])];
    const matches = inOrder(matching.map(({ rule }) => rule)).map(matchOf);
    const shadowSteps = candidates.shadowSteps + watched.steps;
    return {
      found: {
        mandate: composed(matches.filter(({ rule }) => !isInShadow(rule))),
        shadow: watched.ok
          ? inShadow(matches, { steps: shadowSteps, ...ofAll })
          : unknownShadow(matchOf(watched.mostExpensive), { steps: shadowSteps, ...ofAll }),
        matches: matches.map(({ rule, policy }) => ({
          ...{ rule: rule.id, policy: policy.name, mode: rule.mode },
          ...claimed(rule),
        })),
        steps: candidates.steps + held.steps,
        ...ofEnforced,
      },
      validity: ofAll,
      steps: held.steps,
      shadowSteps: watched.steps,
    };
  }

  function matchOf(rule: Rule): Match {
    const { id, version } = rule.policy;
    const policy = policyOf(id, version) ?? missingPolicy(id, version === null ? id : `${id}@${version}`);
    return { rule, policy };
  }

  function inShadow(matches: readonly Match[], found: ValidityInterval & { steps: number }): InShadow | null {
    const shadowing = matches.filter(({ rule }) => isInShadow(rule));
    const mandate = shadowing.length === 0 ? null : composed(matches);
    if (mandate === null) return null;
    const policies = new Set(shadowing.map(({ policy }) => policy.name));
    return { mandate, rules: shadowing.map(({ rule }) => rule.id), policies: [...policies], ...found };
  }

  function composed(matches: readonly Match[]): Mandate | null {
    const policies = matches.map(({ rule, policy }) => ({
      ...policy,
      observe: !policy.isMissing && (policy.observe || rule.mode === 'observe'),
    }));
    const names = matches.map(({ rule }) => rule.id);
    const key = JSON.stringify([policies.map(({ name, observe }) => [name, observe]), names]);
    const known = mandates.get(key);
    if (known !== undefined) return known;
    const given = matches.map(({ rule, policy }) => ({
      ...{ policy: policy.name, rules: [rule.id] },
      ...claimed(rule),
    }));
    const ofRules = compose(id, policies, given);
    const mandate = ofRules && withTenantLimits(ofRules, tenantLimits);
    if (mandate !== null) mandates.set(key, mandate);
    return mandate;
  }

  return {
    resolve(agent, action, atMs, stepBudgets = stepBudgetsOfAction()) {
      const candidates = ofAgents.of(agent, stepBudgets);
      consumeCost(stepBudgets, candidates);
      const subject = { agent: agent as ConditionSubject['agent'], action };
      const asked = keyOf(candidates.fields, subject);
      const key = asked === null ? null : `${candidates.number}${asked}`;
      const known = key === null ? undefined : answers.get(key);
      const isKnown = known !== undefined && holdsAt(known.validity, atMs) && fits(stepBudgets, known);
      const given = isKnown ? known : answer(candidates, subject, atMs, stepBudgets);
      consumeCost(stepBudgets, given);
      if (key !== null && !isKnown) answers.set(key, given);
      return given.found;
    },
  };
}

function claimed(rule: Rule): { claims?: string[] } {
  const claims = [...claimsOf(rule)];
  return claims.length > 0 ? { claims } : {};
}

export function inOrder(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1));
}

type Match = { rule: Rule; policy: NamedPolicy };
type Answer = StepCost & { found: Resolved; validity: ValidityInterval };

const TOO_MUCH = Number.POSITIVE_INFINITY;

function nothingKnown({ id: rule }: Rule, validity: ValidityInterval): Answer {
  const found = {
    mandate: null,
    shadow: null,
    matches: [],
    tooCostly: { rule },
    steps: TOO_MUCH,
    ...validity,
  };
  return { found, validity, steps: TOO_MUCH, shadowSteps: 0 };
}

function unknownShadow({ rule, policy }: Match, found: ValidityInterval & { steps: number }): InShadow {
  return { mandate: null, rules: [rule.id], policies: [policy.name], ...found };
}

function validityOf(candidates: readonly Candidate[], atMs: number): ValidityInterval {
  let holdsFromMs = 0;
  let holdsUntilMs: number | null = null;
  for (const { rule } of candidates) {
    for (const edgeMs of [rule.startsAtMs, rule.endsAtMs]) {
      if (edgeMs === null) continue;
      if (edgeMs <= atMs) holdsFromMs = Math.max(holdsFromMs, edgeMs);
      else holdsUntilMs = Math.min(holdsUntilMs ?? edgeMs, edgeMs);
    }
  }
  return { holdsFromMs, holdsUntilMs };
}
