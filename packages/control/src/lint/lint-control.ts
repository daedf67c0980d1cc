/**
 * Finds problems that arise when a tenant's valid policies and rules are combined: actions that are blocked, and
 * documents without effect.
 */

import { consume, mayMatch, type StepBudget } from '@mandate/policy/parts';
import type { AgentDocument, ApiKeyRecord } from '@mandate/schemas';
import { agentOf } from '../compile-control.ts';
import type { TenantControl } from '../tenant-control.ts';
import { coveredRules } from './covering-rules.ts';
import { agentsAlike, doubtfulPolicies, doubtfulRules, toolsAlike } from './doubtful-documents.ts';
import type { Finding, LintFinding } from './finding.ts';
import { givenByClaim } from './given-by-claim.ts';
import { idlePatterns, idleRules, type Policies, repeatedRules, unusedPolicies } from './idle-documents.ts';
import { lintBudgetOf, type Skipped, STEPS_OF_ALL, STEPS_OF_ONE } from './lint-budget.ts';
import { contradictingLimits } from './lint-limits.ts';
import { lintSubtrees } from './lint-subtrees.ts';
import { nothingInCommon } from './nothing-in-common.ts';
import { isAlive, type LintContext, meant, policyIdOf, type RuleRead, rulesOf } from './rules-read.ts';
import { unanchoredPatterns } from './unanchored-patterns.ts';

/** `skipped`: the searches that were left out because they take too long. Empty if everything was examined. */
export type Linted = { findings: readonly LintFinding[]; skipped: readonly Skipped[] };

/** @param options.fileKeys keys of the tenant in a key file; fields that these keys fix are not claims */
export function lintControl(
  control: TenantControl,
  atMs: number,
  { steps = STEPS_OF_ALL, fileKeys = [] }: { steps?: number; fileKeys?: readonly ApiKeyRecord[] } = {},
): Linted {
  const rules = rulesOf(control);
  const agents = [...control.agents.values()].map(({ document }) => document);
  const policies = [...control.policies];
  const stepBudget = lintBudgetOf(steps);
  const findings = whole([
    ...unreadableRules(rules),
    ...missingPolicies(control, rules, atMs),
    ...nothingInCommon(control, rules, agents, { atMs, stepBudget }),
    ...lintSubtrees(control, agents, givenBy(control, rules, atMs), stepBudget),
    ...idleRules(control, rules, { atMs, stepBudget }),
    ...unanchoredPatterns(control, rules, { atMs, stepBudget }),
    ...givenByClaim(control, { rules, around: rules }, { atMs, stepBudget }, fileKeys),
    ...unusedPolicies(policies, rules),
    ...betweenRules(control, policies, rules, rules, { atMs, stepBudget }),
    ...doubtfulPolicies(control, policies, stepBudget),
    ...doubtfulRules(rules, stepBudget),
    ...toolsAlike(control, policies, stepBudget),
    ...agentsAlike(agents, stepBudget),
  ]);
  return { findings, skipped: stepBudget.skipped };
}

function givenBy(control: TenantControl, rules: readonly RuleRead[], atMs: number) {
  return rules.flatMap(({ read, document }) =>
    read.ok && isAlive(document, atMs)
      ? { rule: read.compiled, policy: meant(control, document)?.document }
      : [],
  );
}

export type LintedDocument = { kind: 'agent' | 'rule' | 'policy'; id: string };

/**
 * At most this many agents that match the rules are examined, because the author of a change waits for the answer.
 */
const AGENTS_AROUND = 100;

/** Returns the findings of `lintControl` that concern one document. */
export function lintAround(
  control: TenantControl,
  atMs: number,
  { kind, id }: LintedDocument,
  fileKeys: readonly ApiKeyRecord[] = [],
): readonly LintFinding[] {
  const rules = rulesOf(control);
  if (kind === 'agent') return lintAgent(control, rules, id, atMs);
  const own = rules.filter(({ document }) => id === (kind === 'rule' ? document.id : policyIdOf(document)));
  const policies = [...control.policies].filter(([name]) => kind === 'policy' && name === id);
  const stepBudget = lintBudgetOf(STEPS_OF_ONE);
  const agents = [...control.agents.values()].map(({ document }) => document);
  const ids = new Set(own.map(({ document }) => document.id));
  const isOwn = ({ rules = [], policies = [] }: Finding) =>
    rules.some((rule) => ids.has(rule)) || (kind === 'policy' && policies.includes(id));
  return whole([
    ...unreadableRules(own),
    ...missingPolicies(control, own, atMs),
    ...nothingInCommon(control, rules, heldBy(control, own, stepBudget), { atMs, stepBudget }),
    ...idleRules(control, own, { atMs, stepBudget }),
    ...unanchoredPatterns(control, own, { atMs, stepBudget }),
    ...givenByClaim(control, { rules, around: own }, { atMs, stepBudget }, fileKeys),
    ...unusedPolicies(policies, rules),
    ...betweenRules(control, policies, rules, own, { atMs, stepBudget }),
    ...(kind === 'policy' ? doubtfulPolicies(control, policies, stepBudget) : doubtfulRules(own, stepBudget)),
    ...toolsAlike(control, policies, stepBudget).filter(isOwn),
    ...lintSubtrees(control, agents, givenBy(control, rules, atMs), stepBudget).filter(isOwn),
  ]);
}

/** Examines the agent and its direct children. The limits of the agent apply to its children too. */
function lintAgent(
  control: TenantControl,
  rules: readonly RuleRead[],
  id: string,
  atMs: number,
): readonly LintFinding[] {
  const around = [...control.agents.values()].flatMap(({ document }) =>
    document.id === id || document.parent === id ? document : [],
  );
  const stepBudget = lintBudgetOf(STEPS_OF_ONE);
  return whole([
    ...nothingInCommon(control, rules, around.slice(0, AGENTS_AROUND), { atMs, stepBudget }),
    ...lintSubtrees(control, around, givenBy(control, rules, atMs), stepBudget).filter(
      ({ code }) => code !== 'NOTHING_TO_HAND_ON',
    ),
  ]);
}

/** Returns the findings that concern two rules which always apply together. */
function betweenRules(
  control: TenantControl,
  policies: Policies,
  rules: readonly RuleRead[],
  around: readonly RuleRead[],
  context: LintContext,
): Finding[] {
  const covered = coveredRules(rules, context, around);
  const latest = policies.flatMap(([id, { isArchived }]) => (isArchived ? [] : id));
  const names = new Set([...latest, ...around.map(({ document }) => document.policy)]);
  return [
    ...idlePatterns(control, policies, rules, covered, context),
    ...repeatedRules(covered),
    ...contradictingLimits(control, names, covered, context.stepBudget),
  ];
}

function whole(findings: readonly Finding[]): readonly LintFinding[] {
  return findings.map((finding) => ({ rules: [], policies: [], ...finding }));
}

function heldBy(
  { agents }: TenantControl,
  rules: readonly RuleRead[],
  stepBudget: StepBudget,
): readonly AgentDocument[] {
  const held: AgentDocument[] = [];
  for (const kept of agents.values()) {
    if (held.length === AGENTS_AROUND || !consume(stepBudget, rules.length)) break;
    if (rules.some(({ read }) => read.ok && mayMatch(read.compiled, agentOf(kept), stepBudget)))
      held.push(kept.document);
  }
  return held;
}

function unreadableRules(rules: readonly RuleRead[]): Finding[] {
  return rules.flatMap(({ document, read }): Finding[] => {
    if (read.ok) return [];
    const why = read.faults.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
    return [
      {
        code: 'RULE_UNREADABLE',
        severity: 'error',
        rules: [document.id],
        message: `The rule "${document.id}" cannot be read (${why}). Every action of the agents that it names is blocked.`,
        remedy: 'Correct the rule, or remove it.',
      },
    ];
  });
}

function missingPolicies(control: TenantControl, rules: readonly RuleRead[], atMs: number): Finding[] {
  return rules
    .filter(({ document }) => isAlive(document, atMs) && meant(control, document) === undefined)
    .map(({ document: { id, policy } }) => ({
      code: 'POLICY_MISSING',
      severity: 'error',
      rules: [id],
      policies: [policy],
      message: `The rule "${id}" names the policy "${policy}", which does not exist or is archived. Every action that the rule matches is blocked.`,
      remedy: 'Publish that policy, or let the rule name another.',
    }));
}
