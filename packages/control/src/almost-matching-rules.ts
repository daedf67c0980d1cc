/**
 * Finds rules that name an agent but do not match its action, and says why they do not match. Used when no rule
 * matches.
 */

import type { AgentAttributes, ConditionSubject, Rule } from '@mandate/policy';
import { stepBudgetOfAction } from '@mandate/policy';
import {
  type CompiledCondition,
  conjuncts,
  consume,
  fieldOf,
  inOrder,
  isInForce,
  OF_RULE,
  type StepBudget,
} from '@mandate/policy/parts';
import { type Condition, type Json, type RuleDocument, stepsOf } from '@mandate/schemas';
import { agentOf, ruleOf } from './compile-control.ts';
import type { Candidates } from './preview-mandate.ts';
import { rulesFor } from './rules-for.ts';
import type { TenantControl } from './tenant-control.ts';

export type AlmostMatchingRule = { rule: string; mode: RuleDocument['mode']; why: string };

/**
 * Returns true if the answer of the condition is known. The answer is unknown if the condition asks about a part of
 * the action that is not known yet.
 */
type IsTold = (condition: CompiledCondition) => boolean;

/** At most this many rules are returned, in their order. */
const MOST = 20;

export function almostMatchingRules(
  control: TenantControl,
  { agent, action, atMs, rules }: Pick<Candidates, 'agent' | 'action' | 'atMs' | 'rules'>,
  isTold: IsTold = () => true,
): readonly AlmostMatchingRule[] {
  const attributes = agentOf({ revision: 0, document: agent });
  const subject = { agent: attributes, action } as unknown as ConditionSubject;
  const plannedRules = new Map(rules.map((document) => [document.id, document]));
  const standing = rulesFor(control)(attributes.groups).filter(({ id }) => !plannedRules.has(id));
  const candidates = [...plannedRules.values()].map((document) => ruleOf({ revision: 0, document }));
  const stepBudget = stepBudgetOfAction();
  const asked = { subject, atMs, stepBudget, isTold };
  const near: AlmostMatchingRule[] = [];
  for (const rule of inOrder([...standing, ...candidates])) {
    if (near.length === MOST || !consume(stepBudget, OF_RULE)) return near;
    if (!isNamed(rule, attributes)) continue;
    const document = plannedRules.get(rule.id) ?? control.rules.get(rule.id)?.document;
    const why = document && whyNot(rule, document, asked);
    if (why) near.push({ rule: rule.id, mode: rule.mode, why });
  }
  return near;
}

/** True if the patterns and groups of the rule name the agent. */
export function isNamed({ agents, groups }: Rule, agent: AgentAttributes): boolean {
  if (agents !== null && agents(agent.id) === null) return false;
  return groups === null || agent.groups.some((group) => groups.has(group));
}

/** Returns why the rule does not match. Null if the rule matches, or if the reason is unknown. */
function whyNot(
  rule: Rule,
  { startsAt, endsAt, when }: RuleDocument,
  {
    subject,
    atMs,
    stepBudget,
    isTold,
  }: { subject: ConditionSubject; atMs: number; stepBudget: StepBudget; isTold: IsTold },
): string | null {
  if (!isInForce(rule, atMs))
    return rule.startsAtMs !== null && atMs < rule.startsAtMs
      ? `it begins at ${startsAt}`
      : `it ended at ${endsAt}`;
  const conditions = when === undefined ? [] : conjuncts(when);
  for (const [at, compiled] of rule.conditions.entries()) {
    if (!isTold(compiled)) continue;
    const truth = compiled.holds(subject, stepBudget);
    if (truth === true) continue;
    const condition = conditions[at];
    return condition === undefined || stepBudget.left < 0 ? null : inWords(condition, subject, truth);
  }
  return null;
}

function inWords(condition: Condition, subject: ConditionSubject, truth: boolean | null): string {
  if ('any' in condition) return 'none of its conditions under `any` is known to hold';
  if ('not' in condition) return 'one of its conditions under `not` holds, or is unknown';
  if (!('field' in condition)) return 'not every condition under its `all` holds';
  const steps = stepsOf(condition.field);
  const name = steps.join('.');
  const value = fieldOf(subject, steps);
  if (value === undefined) return `${name} is missing`;
  if (condition.op === 'exists') return `${name} is present`;
  const wanted = `${condition.op} ${shown(condition.value)}`;
  if (truth === null) return `${name} is ${shown(value)}, to which ${wanted} does not apply`;
  return `${name} is ${shown(value)}, and not ${wanted}`;
}

const SHOWN = 100;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
