/**
 * Finds the rules that match an agent and its action, within a step budget. Rules are evaluated in the order of their
 * ids. So the report of the most expensive rule does not depend on the order of the list.
 */
import type { Json } from '@mandate/schemas';
import { consume, type StepBudget, stepBudgetOfAction } from '../step-budget.ts';
import { type CompiledCondition, type ConditionSubject, type FieldPath, fieldOf } from './condition.ts';
import type { Rule } from './rule.ts';

/** The data of an agent that rules can read: its id, and the attributes of its registration. */
export type AgentAttributes = { readonly id: string; readonly groups: readonly string[] } & {
  readonly [attribute: string]: Json | readonly string[] | undefined;
};

/**
 * The remaining step budgets: one for enforced rules, and one for rules in shadow, which must not affect the
 * decision.
 */
export type StepBudgets = { enforced: StepBudget; shadow: StepBudget };

export function stepBudgetsOfAction(): StepBudgets {
  return { enforced: stepBudgetOfAction(), shadow: stepBudgetOfAction() };
}

/** The steps that an evaluation took. Infinity if it exceeded the budget. */
export type StepCost = { steps: number; shadowSteps: number };

export function consumeCost({ enforced, shadow }: StepBudgets, { steps, shadowSteps }: StepCost): void {
  enforced.left -= steps;
  shadow.left -= shadowSteps;
}

/**
 * True if the remaining budgets are large enough for a cached result. If not, the result is computed again, so that
 * the answer is the same as without the cache.
 */
export function fits({ enforced, shadow }: StepBudgets, { steps, shadowSteps }: StepCost): boolean {
  return steps <= enforced.left && shadowSteps <= shadow.left;
}

/**
 * A rule with its conditions in two groups. `own` conditions depend on the agent alone, and `open` conditions also
 * depend on the action.
 */
export type Candidate = {
  rule: Rule;
  own: readonly CompiledCondition[];
  open: readonly CompiledCondition[];
};

export function candidateOf(rule: Rule): Candidate {
  return {
    rule,
    own: rule.conditions.filter(isOfAgent),
    open: rule.conditions.filter((one) => !isOfAgent(one)),
  };
}

export type Asked =
  | { ok: true; holding: readonly Candidate[]; steps: number }
  /** `mostExpensive` is the rule that took the most steps. */
  | { ok: false; mostExpensive: Rule; steps: number };

/** The fewest steps that a rule takes. */
export const OF_RULE = 10;

function ask(
  candidates: readonly Candidate[],
  stepBudget: StepBudget,
  holds: (candidate: Candidate, left: StepBudget) => boolean,
): Asked {
  const [first] = candidates;
  if (first === undefined) return { ok: true, holding: [], steps: 0 };
  const left = { ...stepBudget };
  const holding: Candidate[] = [];
  let mostExpensive = first.rule;
  let most = -1;
  for (const candidate of candidates) {
    const before = left.left;
    if (consume(left, OF_RULE) && holds(candidate, left)) holding.push(candidate);
    if (before - left.left > most) {
      most = before - left.left;
      mostExpensive = candidate.rule;
    }
    if (left.left < 0) return { ok: false, mostExpensive, steps: Number.POSITIVE_INFINITY };
  }
  return { ok: true, holding, steps: stepBudget.left - left.left };
}

/** Returns the rules that may match some action of the agent at some time, in the same order. */
export function candidateRules(
  candidates: readonly Candidate[],
  agent: AgentAttributes,
  stepBudget: StepBudget,
): Asked {
  return ask(candidates, stepBudget, (candidate, left) => isOfItsOwn(candidate, agent, left));
}

export function matchingRules(
  candidates: readonly Candidate[],
  subject: ConditionSubject,
  atMs: number,
  stepBudget: StepBudget,
): Asked {
  return ask(
    candidates,
    stepBudget,
    ({ rule, open }, left) =>
      isInForce(rule, atMs) && open.every(({ holds }) => holds(subject, left) === true),
  );
}

/** True if some action of the agent could match the rule at some time. Also false if the step budget is exceeded. */
export function mayMatch(rule: Rule, agent: AgentAttributes, stepBudget: StepBudget): boolean {
  return isOfItsOwn(candidateOf(rule), agent, stepBudget);
}

function isOfItsOwn({ rule, own }: Candidate, agent: AgentAttributes, stepBudget: StepBudget): boolean {
  const { agents, groups } = rule;
  if (agents !== null && !(consume(stepBudget, agents.steps * agent.id.length) && agents(agent.id) !== null))
    return false;
  if (groups !== null && !agent.groups.some((group) => groups.has(group))) return false;
  if (own.length === 0) return true;
  const subject = { agent, action: {} } as unknown as ConditionSubject;
  return own.every(({ holds }) => holds(subject, stepBudget) === true);
}

/** True if the condition reads only the agent, so its result is the same for all actions of the agent. */
function isOfAgent({ fields }: CompiledCondition): boolean {
  return fields.every(([root]) => root === 'agent');
}

export function isInForce({ startsAtMs, endsAtMs }: Rule, atMs: number): boolean {
  return (startsAtMs ?? Number.NEGATIVE_INFINITY) <= atMs && atMs < (endsAtMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the fields of an action that the conditions read. The result of the conditions and its steps depend on
 * these fields only.
 */
export function fieldsOf(candidates: readonly Candidate[]): readonly FieldPath[] {
  const fields = candidates.flatMap(({ open }) => open.flatMap((one) => one.fields));
  const distinct = new Map(fields.map((field) => [JSON.stringify(field), field]));
  return [...distinct.values()].filter(([root]) => root !== 'agent');
}

/**
 * The most characters of a cache key. A value may be as long as an argument. For longer keys, rules are evaluated
 * without the cache.
 */
const LONGEST_KEY = 1_000;

/** Returns a cache key made of the values of the fields. Null if the key would be too long. */
export function keyOf(fields: readonly FieldPath[], subject: ConditionSubject): string | null {
  let key = '';
  for (const field of fields) {
    const value = fieldOf(subject, field);
    if (value === undefined) key += ' -';
    else if (isLonger(value, LONGEST_KEY)) return null;
    else key += ` ${JSON.stringify(value)}`;
    if (key.length > LONGEST_KEY) return null;
  }
  return key;
}

/** True if a value has more characters and elements than `most`. Counting stops soon after that number. */
function isLonger(value: Json, most: number): boolean {
  if (typeof value === 'string') return value.length > most;
  if (typeof value !== 'object' || value === null) return false;
  let left = most;
  const around: Json[] = [value];
  for (let one = around.pop(); one !== undefined; one = around.pop()) {
    if (typeof one === 'string') left -= one.length;
    if (typeof one === 'object' && one !== null) {
      const names = Object.keys(one);
      left -= names.length;
      if (left < 0) return true;
      for (const name of names) left -= name.length;
      around.push(...Object.values(one));
    }
    if (left < 0) return true;
  }
  return false;
}
