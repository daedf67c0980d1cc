/**
 * Finds documents without effect: rules that never apply or add nothing, policies that no rule names, and patterns
 * that match no tool.
 */

import { compileGlobs } from '@mandate/policy';
import { consume, mayMatch, rulesByGroup } from '@mandate/policy/parts';
import { type PolicyDocument, policyNamed } from '@mandate/schemas';
import { agentOf } from '../compile-control.ts';
import type { PolicyHistory } from '../revisioned.ts';
import type { TenantControl } from '../tenant-control.ts';
import { nameOfTenantLimits, tenantLimitsDocument } from '../tenant-limits.ts';
import type { Covered } from './covering-rules.ts';
import type { Finding } from './finding.ts';
import { type LintBudget, skip } from './lint-budget.ts';
import { neverHold } from './never-hold.ts';
import { isAlive, isOver, type LintContext, meant, policyIdOf, type RuleRead } from './rules-read.ts';

export type Policies = readonly (readonly [id: string, PolicyHistory])[];

export function idleRules(
  control: TenantControl,
  rules: readonly RuleRead[],
  { atMs, stepBudget }: LintContext,
): Finding[] {
  const over = new Set(rules.filter(({ document, read }) => read.ok && isOver(document, atMs)));
  const rest = rules.filter((rule) => rule.read.ok && !over.has(rule));
  const torn = new Set(rest.filter(({ document: { when } }) => when && neverHold([when], stepBudget)));
  const unmatched = matchingNobody(
    control,
    rest.filter((rule) => !torn.has(rule)),
    stepBudget,
  );
  const isKnown = stepBudget.left >= 0;
  return rules.flatMap((rule): Finding[] => {
    const { id, endsAt } = rule.document;
    const idle = { severity: 'warning', rules: [id] } as const;
    if (over.has(rule))
      return [
        {
          ...{ ...idle, code: 'RULE_ENDED' },
          message: `The rule "${id}" ended at ${endsAt}.`,
          remedy: 'Remove the rule, or set a later endsAt.',
        },
      ];
    if (torn.has(rule))
      return [
        {
          ...{ ...idle, code: 'RULE_CONTRADICTS_ITSELF' },
          message: `The rule "${id}" never applies: no action meets all of its conditions at once.`,
          remedy: 'Look for two conditions that exclude each other. `any` needs only one of its conditions.',
        },
      ];
    if (!unmatched.has(rule)) return [];
    if (!isKnown) {
      skip(stepBudget, 'RULE_MATCHES_NOBODY', 'rules');
      return [];
    }
    return [
      {
        ...{ ...idle, code: 'RULE_MATCHES_NOBODY' },
        message: `The rule "${id}" can match no registered agent.`,
        remedy: 'Check its agents, its groups and its conditions on the agent.',
      },
    ];
  });
}

/**
 * Returns the rules that match no agent. If the step budget was too small, some of the returned rules may match an
 * agent.
 */
function matchingNobody(
  { agents }: TenantControl,
  rules: readonly RuleRead[],
  stepBudget: LintBudget,
): ReadonlySet<RuleRead> {
  const unmatched = new Set(rules);
  const ofGroups = rulesByGroup(rules, ({ read }) => (read.ok ? read.compiled.groups : null));
  for (const kept of agents.values()) {
    if (unmatched.size === 0) break;
    const agent = agentOf(kept);
    for (const rule of ofGroups(agent.groups)) {
      if (!unmatched.has(rule) || !rule.read.ok) continue;
      if (!consume(stepBudget, 1)) return unmatched;
      if (mayMatch(rule.read.compiled, agent, stepBudget)) unmatched.delete(rule);
    }
  }
  return unmatched;
}

/** Finds rules that are redundant, because another rule gives the same policy whenever they apply. */
export function repeatedRules(covered: readonly Covered[]): Finding[] {
  return covered.flatMap(({ rule, instead }): Finding[] => {
    if (instead === null) return [];
    const { id, policy } = rule.document;
    const other = instead.document.id;
    return [
      {
        code: 'RULE_ADDS_NOTHING',
        severity: 'warning',
        rules: [id, other],
        policies: [policy],
        message: `The rule "${id}" adds nothing: whenever it applies, the rule "${other}" already gives the policy "${policy}".`,
        remedy: `Remove the rule, or let "${other}" apply to fewer agents, or less often.`,
      },
    ];
  });
}

export function unusedPolicies(policies: Policies, rules: readonly RuleRead[]): Finding[] {
  const used = new Set(rules.map(({ document }) => policyNamed(document.policy).id));
  return policies
    .filter(([id, { isArchived }]) => !isArchived && !used.has(id))
    .map(([id]) => ({
      code: 'POLICY_UNUSED',
      severity: 'warning',
      policies: [id],
      message: `No rule names the policy "${id}".`,
      remedy: 'Archive the policy, or let a rule name it.',
    }));
}

/** Finds patterns that match no declared tool. Nothing is reported if no tools are declared. */
export function idlePatterns(
  control: TenantControl,
  policies: Policies,
  rules: readonly RuleRead[],
  covered: readonly Covered[],
  { atMs, stepBudget }: LintContext,
): Finding[] {
  const held = new Map(covered.map(({ rule, beside }) => [rule, beside]));
  const givenBy = Map.groupBy(
    rules.filter(({ document }) => isAlive(document, atMs)),
    ({ document }) => policyIdOf(document),
  );
  const tenantLimits = tenantLimitsIn(control);
  return policies.flatMap(([id, { versions, isArchived }]): Finding[] => {
    const document = versions.at(-1)?.document;
    if (isArchived || document === undefined) return [];
    const { allowedTools = [], delegableTools = [], deniedTools = [] } = document;
    const beside = (givenBy.get(id) ?? []).map((rule) => held.get(rule) ?? []);
    const patterns = new Set([...allowedTools, ...delegableTools, ...deniedTools]);
    return [document, ...tenantLimits, ...alwaysHeld(control, beside)].flatMap((declaring) =>
      [...patterns]
        .filter((pattern) => matchesNone(pattern, declaring.tools, stepBudget))
        .map((pattern) => matchesNothing(id, pattern, declaring)),
    );
  });
}

type Declaring = Pick<PolicyDocument, 'id' | 'tools'>;

function tenantLimitsIn({ opened }: TenantControl): readonly Declaring[] {
  const tenantLimits = opened && tenantLimitsDocument(opened.document);
  return tenantLimits ? [{ id: nameOfTenantLimits(opened), tools: tenantLimits.tools }] : [];
}

/** Returns the policies that always apply together with each of the given rules. */
function alwaysHeld(
  control: TenantControl,
  beside: readonly (readonly RuleRead[])[],
): readonly PolicyDocument[] {
  const [first = [], ...others] = beside.map(
    (rules) => new Set(rules.map(({ document }) => document.policy)),
  );
  return [...first]
    .filter((policy) => others.every((held) => held.has(policy)))
    .flatMap((policy) => meant(control, { policy })?.document ?? []);
}

function matchesNone(pattern: string, tools: Declaring['tools'], stepBudget: LintBudget): boolean {
  if (tools === undefined) return false;
  if (!consume(stepBudget, tools.length)) {
    skip(stepBudget, 'PATTERN_MATCHES_NOTHING', 'patterns');
    return false;
  }
  const matches = compileGlobs([pattern]);
  return tools.every((tool) => matches(tool) === null);
}

function matchesNothing(policy: string, pattern: string, { id, tools = [] }: Declaring): Finding {
  const whose =
    id === policy
      ? 'it declares'
      : `"${id}" declares. That policy also applies to every agent with "${policy}"`;
  return {
    code: 'PATTERN_MATCHES_NOTHING',
    severity: 'warning',
    policies: id === policy ? [id] : [policy, id],
    message: `The pattern "${pattern}" of the policy "${policy}" matches none of the ${tools.length} tools that ${whose}.`,
    remedy: 'Check the spelling, or declare the tool under `tools`.',
  };
}
