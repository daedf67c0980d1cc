/** What a mandate would be made of that is issued now: the rules that match whatever the agent does, and those that may. */

import type { ConditionSubject, Rule } from '@mandate/policy';
import { effortOfAction } from '@mandate/policy';
import type { CompiledCondition, FieldPath } from '@mandate/policy/parts';
import { inOrder, isInForce, mayMatch } from '@mandate/policy/parts';
import {
  type AgentDocument,
  CAPS,
  type IssuedMandateDocument,
  type MatchedRule,
  type PolicyDocument,
} from '@mandate/schemas';
import { agentOf, policiesOf } from './compile-control.ts';
import type { Kept } from './kept.ts';
import { documentOf } from './preview-mandate.ts';
import { rulesFor } from './rules-for.ts';
import type { TenantControl } from './tenant-control.ts';

type Context = IssuedMandateDocument['context'];

export type ComposedIssue = {
  rules: readonly MatchedRule[];
  /** They look at what the action alone will tell. */
  openRules: readonly MatchedRule[];
  /** Before the first, and from the second on, other rules match; null: never. */
  startsAtMs: number | null;
  endsAtMs: number | null;
};

export type IssueComposed =
  | { ok: true; composed: ComposedIssue }
  | { ok: false; why: 'TENANT_CLOSED' }
  | { ok: false; why: 'NO_RULE' }
  | { ok: false; why: 'TOO_MANY_RULES' }
  /** To ask them of the agent and the context takes more than it may. */
  | { ok: false; why: 'TOO_COSTLY' }
  /** `rule` names a policy that is not there, and so blocks. */
  | { ok: false; why: 'POLICY_MISSING'; rule: string };

export function composeIssue(
  control: TenantControl,
  agent: Kept<AgentDocument>,
  context: Context,
  atMs: number,
): IssueComposed {
  if (control.opened?.closedAt) return { ok: false, why: 'TENANT_CLOSED' };
  const attributes = agentOf(agent);
  const subject = { agent: attributes, action: { context } } as unknown as ConditionSubject;
  const policyOf = policiesOf(control);
  const isTold = isToldBy(context);
  const rules: MatchedRule[] = [];
  const openRules: MatchedRule[] = [];
  let startsAtMs: number | null = null;
  let endsAtMs: number | null = null;

  const effort = effortOfAction();
  const candidates = rulesFor(control)(attributes.groups).filter(
    (rule) => rule.mode !== 'shadow' && mayMatch(rule, attributes, effort),
  );
  for (const rule of inOrder(candidates)) {
    const told = rule.conditions.filter(isTold);
    if (!told.every((condition) => condition.holds(subject, effort) === true)) continue;
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
  if (effort.left < 0) return { ok: false, why: 'TOO_COSTLY' };
  const count = rules.length + openRules.length;
  if (count === 0) return { ok: false, why: 'NO_RULE' };
  if (count > CAPS.rulesPerMandate) return { ok: false, why: 'TOO_MANY_RULES' };
  return { ok: true, composed: { rules, openRules, startsAtMs, endsAtMs } };
}

/** The conditions that it answers completely. */
export function isToldBy(context: Context): (condition: CompiledCondition) => boolean {
  return ({ fields }) => fields.every((field) => isKnown(field, context));
}

/** The agent, and the context that the mandate is issued for, are known completely. */
function isKnown([root, step = '', inContext = '']: FieldPath, context: Context): boolean {
  if (root === 'agent') return true;
  if (root === 'context') return Object.hasOwn(context, step);
  return step === 'context' && Object.hasOwn(context, inContext);
}

function edgesOf({ startsAtMs, endsAtMs }: Rule): readonly number[] {
  return [startsAtMs, endsAtMs].filter((edgeMs) => edgeMs !== null);
}

/** null: one that is no longer there. */
export function policiesNamed(
  control: TenantControl,
  rules: readonly MatchedRule[],
): ReadonlyMap<string, PolicyDocument | null> {
  return new Map(rules.map(({ policy }) => [policy, documentOf(control, policy)]));
}
