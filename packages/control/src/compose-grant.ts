/**
 * Composes the mandate of a grant as if the grant were issued now. It uses the rules that certainly match the agent,
 * and the rules that may match an action.
 */

import type { ConditionSubject, Rule } from '@mandate/policy';
import { stepBudgetOfAction } from '@mandate/policy';
import type { CompiledCondition, FieldPath } from '@mandate/policy/parts';
import { inOrder, isInForce, mayMatch } from '@mandate/policy/parts';
import {
  type AgentDocument,
  CAPS,
  type GrantDocument,
  type MatchedRule,
  type PolicyDocument,
} from '@mandate/schemas';
import { agentOf, policiesOf } from './compile-control.ts';
import { documentOf } from './preview-mandate.ts';
import type { Revisioned } from './revisioned.ts';
import { rulesFor } from './rules-for.ts';
import type { TenantControl } from './tenant-control.ts';

type Context = GrantDocument['context'];

export type ComposedGrant = {
  rules: readonly MatchedRule[];
  /** Rules with conditions that only an action can answer. */
  openRules: readonly MatchedRule[];
  /**
   * The rules match only from `startsAtMs` until `endsAtMs`. At other times the agent has other rules. Null if there
   * is no such limit.
   */
  startsAtMs: number | null;
  endsAtMs: number | null;
};

export type GrantComposed =
  | { ok: true; composed: ComposedGrant }
  | { ok: false; why: 'TENANT_CLOSED' }
  | { ok: false; why: 'NO_RULE' }
  | { ok: false; why: 'TOO_MANY_RULES' }
  /** Evaluating the rules for the agent and the context exceeds the step budget. */
  | { ok: false; why: 'TOO_COSTLY' }
  /** `rule` names a policy that does not exist. Such a rule blocks. */
  | { ok: false; why: 'POLICY_MISSING'; rule: string };

export function composeGrant(
  control: TenantControl,
  agent: Revisioned<AgentDocument>,
  context: Context,
  atMs: number,
): GrantComposed {
  if (control.opened?.closedAt) return { ok: false, why: 'TENANT_CLOSED' };
  const attributes = agentOf(agent);
  const subject = { agent: attributes, action: { context } } as unknown as ConditionSubject;
  const policyOf = policiesOf(control);
  const isTold = isToldBy(context);
  const rules: MatchedRule[] = [];
  const openRules: MatchedRule[] = [];
  let startsAtMs: number | null = null;
  let endsAtMs: number | null = null;

  const stepBudget = stepBudgetOfAction();
  const candidates = rulesFor(control)(attributes.groups).filter(
    (rule) => rule.mode !== 'shadow' && mayMatch(rule, attributes, stepBudget),
  );
  for (const rule of inOrder(candidates)) {
    const told = rule.conditions.filter(isTold);
    if (!told.every((condition) => condition.holds(subject, stepBudget) === true)) continue;
    for (const edgeMs of edgesOf(rule)) {
      if (edgeMs <= atMs) startsAtMs = Math.max(edgeMs, startsAtMs ?? edgeMs);
      else endsAtMs = Math.min(edgeMs, endsAtMs ?? edgeMs);
    }
    if (!isInForce(rule, atMs)) continue;
    const { id, version } = rule.policy;
    const policy = policyOf(id, version);
    if (policy === null) return { ok: false, why: 'POLICY_MISSING', rule: rule.id };
    const matched = { rule: rule.id, policy: policy.name, mode: rule.mode };
    if (told.length === rule.conditions.length) rules.push(matched);
    else openRules.push(matched);
  }
  if (stepBudget.left < 0) return { ok: false, why: 'TOO_COSTLY' };
  const count = rules.length + openRules.length;
  if (count === 0) return { ok: false, why: 'NO_RULE' };
  if (count > CAPS.rulesPerMandate) return { ok: false, why: 'TOO_MANY_RULES' };
  return { ok: true, composed: { rules, openRules, startsAtMs, endsAtMs } };
}

/** True for a condition that can be answered from the agent and the context alone. */
export function isToldBy(context: Context): (condition: CompiledCondition) => boolean {
  return ({ fields }) => fields.every((field) => isKnown(field, context));
}

/** True if the path leads to an attribute of the agent, or to a field in the context of the grant. */
function isKnown([root, step = '', inContext = '']: FieldPath, context: Context): boolean {
  if (root === 'agent') return true;
  if (root === 'context') return Object.hasOwn(context, step);
  return step === 'context' && Object.hasOwn(context, inContext);
}

function edgesOf({ startsAtMs, endsAtMs }: Rule): readonly number[] {
  return [startsAtMs, endsAtMs].filter((edgeMs) => edgeMs !== null);
}

/**
 * Returns the policy documents by the names that the rules use. The value is null for a policy that no longer exists.
 */
export function policiesNamed(
  control: TenantControl,
  rules: readonly MatchedRule[],
): ReadonlyMap<string, PolicyDocument | null> {
  return new Map(rules.map(({ policy }) => [policy, documentOf(control, policy)]));
}
