/**
 * Finds rules that grant something because of a claim of the agent: its context or its principal. An agent without
 * other rules gets the policy of such a rule as soon as it makes the claim, even if the claim is false. If other
 * rules apply too, such a rule only restricts.
 */

import type { AgentAttributes, Rule } from '@mandate/policy';
import { compileGlobs } from '@mandate/policy';
import { candidateOf, claimsOf, conjuncts, consume, mayMatch } from '@mandate/policy/parts';
import { type ApiKeyRecord, isPinned, pinnedFields, stepsOf } from '@mandate/schemas';
import { agentOf } from '../compile-control.ts';
import type { TenantControl } from '../tenant-control.ts';
import type { Finding } from './finding.ts';
import { skip } from './lint-budget.ts';
import { neverHold } from './never-hold.ts';
import { isAlive, type LintContext, meant, type RuleRead } from './rules-read.ts';

/** @param fileKeys keys of the tenant that are in a key file and not on the log */
export function givenByClaim(
  control: TenantControl,
  { rules, around }: { rules: readonly RuleRead[]; around: readonly RuleRead[] },
  { atMs, stepBudget }: LintContext,
  fileKeys: readonly ApiKeyRecord[],
): Finding[] {
  const open = new Map(
    around.flatMap((rule) => (gives(control, rule) ? claiming(rule, { atMs, stepBudget }) : [])),
  );
  if (open.size === 0) return [];
  const always = rules.flatMap(({ read, document }) =>
    read.ok && isAlive(document, atMs) && isAlways(read.compiled, atMs) ? read.compiled : [],
  );
  const pinnedFor = pinsByAgent(control, fileKeys);
  const findings: Finding[] = [];
  for (const kept of control.agents.values()) {
    if (open.size === 0) break;
    const agent = agentOf(kept);
    if (!consume(stepBudget, always.length + open.size)) break;
    if (always.some((rule) => mayMatch(rule, agent, stepBudget))) continue;
    for (const [rule, claims] of open) {
      if (!mayMatch(rule, agent, stepBudget)) continue;
      const said = claims.filter((claim) => !pinnedFor(agent.id, claim));
      if (said.length === 0) continue;
      findings.push(finding(rule, said, agent));
      open.delete(rule);
    }
  }
  if (stepBudget.left < 0) for (const _ of open) skip(stepBudget, 'RULE_GIVES_BY_CLAIM', 'rules');
  return findings;
}

function finding({ id, policy }: Rule, claims: readonly string[], agent: AgentAttributes): Finding {
  const said = claims.join(', ');
  return {
    code: 'RULE_GIVES_BY_CLAIM',
    severity: 'warning',
    rules: [id],
    policies: [policy.id],
    message:
      `The rule "${id}" gives the policy "${policy.id}" if an agent claims certain values (${said}). The agent ` +
      `"${agent.id}" can get the policy by such a claim, because no other rule always applies to it.`,
    remedy:
      'Choose agents by groups or labels. Or issue keys to the agent that pin these fields. Or add the condition that action.pinned contains them.',
  };
}

/** True if the rule can allow something. If its policy is missing or allows no tool, the rule only blocks. */
function gives(control: TenantControl, { document }: RuleRead): boolean {
  const policy = meant(control, document)?.document;
  return policy !== undefined && policy.allowedTools?.length !== 0;
}

function claiming(
  { read, document }: RuleRead,
  { atMs, stepBudget }: LintContext,
): [Rule, readonly string[]][] {
  const { when } = document;
  if (!read.ok || when === undefined || !isAlive(document, atMs)) return [];
  const asked = conjuncts(when).flatMap((part) =>
    'field' in part && part.op === 'contains' && stepsOf(part.field).join(' ') === 'action pinned'
      ? [String(part.value)]
      : [],
  );
  const claims = claimsOf(read.compiled).filter((claim) => !isPinned(claim, asked));
  // A rule that contradicts itself never applies, so it grants nothing.
  return claims.length === 0 || neverHold([when], stepBudget) ? [] : [[read.compiled, claims]];
}

/** True if the rule applies to all actions of its agents, starting now and without end. */
function isAlways(rule: Rule, atMs: number): boolean {
  const { startsAtMs, endsAtMs } = rule;
  return candidateOf(rule).open.length === 0 && (startsAtMs ?? atMs) <= atMs && endsAtMs === null;
}

type PinnedFor = (agentId: string, claim: string) => boolean;

/**
 * Returns a function that tells whether every key of an agent fixes a field. Such a field is not a claim. On the
 * tenant's own topic no key is checked, so every field is a claim.
 */
function pinsByAgent({ keys, opened }: TenantControl, fileKeys: readonly ApiKeyRecord[]): PinnedFor {
  if (opened?.document.directTopic === true) return () => false;
  const onLog = Map.groupBy(keys.values(), ({ document }) => document.agentId);
  const inFile = fileKeys
    .filter(({ scopes, revokedAt }) => scopes.includes('publish') && revokedAt === null)
    .map(({ agents, pins }) => ({ speaksFor: compileGlobs(agents), pins }));
  return (agentId, claim) => {
    const pins = [
      ...(onLog.get(agentId) ?? []).map(({ document }) => document.key.pins),
      ...inFile.flatMap(({ speaksFor, pins }) => (speaksFor(agentId) === null ? [] : [pins])),
    ];
    return pins.length > 0 && pins.every((one) => isPinned(claim, pinnedFields(one)));
  };
}
