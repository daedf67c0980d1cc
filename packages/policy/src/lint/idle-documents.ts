/** Documents that do nothing: rules that never hold or add nothing, policies that nobody uses, patterns that match no tool. */
import { policyNamed, type RuleDocument } from '@mandate/schemas';
import { agentOf } from '../control/compile-control.ts';
import type { PolicyHistory } from '../control/kept.ts';
import type { TenantControl } from '../control/tenant-control.ts';
import { takes } from '../effort.ts';
import { compileGlobs } from '../glob.ts';
import { type AgentAttributes, mayMatch } from '../rules/ask-rules.ts';
import { type Covered, covers, reachOf } from './covering-rules.ts';
import { type LintEffort, skip } from './effort.ts';
import type { Finding } from './finding.ts';
import { neverHold } from './never-hold.ts';
import { isOver, type Look, type RuleRead } from './rules-read.ts';

export type Policies = readonly (readonly [id: string, PolicyHistory])[];

export function idleRules(
  control: TenantControl,
  rules: readonly RuleRead[],
  { atMs, effort }: Look,
): Finding[] {
  const agents: readonly AgentAttributes[] = [...control.agents.values()].map((kept) => agentOf(kept));
  return rules.flatMap(({ document: { id, endsAt, when }, read }): Finding[] => {
    if (read.ok && isOver({ endsAt }, atMs))
      return [
        {
          code: 'RULE_ENDED',
          severity: 'warning',
          rules: [id],
          message: `The rule "${id}" ended at ${endsAt}.`,
          remedy: 'Remove it, or let it end later.',
        },
      ];
    if (read.ok && when !== undefined && neverHold([when], effort))
      return [
        {
          code: 'RULE_CONTRADICTS_ITSELF',
          severity: 'warning',
          rules: [id],
          message: `The rule "${id}" never applies: no action meets all of its conditions at once.`,
          remedy: 'Look for two of them that exclude each other; `any` is met by one of several.',
        },
      ];
    if (
      !read.ok ||
      agents.some((agent) => takes(effort, 1) && mayMatch(read.compiled, agent, effort) && effort.left >= 0)
    )
      return [];
    if (effort.left < 0) {
      skip(effort, 'RULE_MATCHES_NOBODY', 'rules');
      return [];
    }
    return [
      {
        code: 'RULE_MATCHES_NOBODY',
        severity: 'warning',
        rules: [id],
        message: `The rule "${id}" can match no agent that is registered.`,
        remedy: 'Look at its agents, its groups and what it asks of the agent.',
      },
    ];
  });
}

/** By how much a mode gives: what is given twice is observed, or in shadow, only where both are. */
const MODES = ['shadow', 'observe', 'enforce'];

/** They give what another gives whenever they hold. */
export function repeatedRules(covered: readonly Covered[]): Finding[] {
  return covered.flatMap(({ rule, by }): Finding[] => {
    const { id, policy } = rule.document;
    const same = by.find(
      ({ document }) => document.policy === policy && isInPlaceOf(document, rule.document),
    );
    if (same === undefined) return [];
    const other = same.document.id;
    return [
      {
        code: 'RULE_ADDS_NOTHING',
        severity: 'warning',
        rules: [id, other],
        policies: [policy],
        message: `The rule "${id}" adds nothing: whenever it holds, "${other}" gives the policy "${policy}" already.`,
        remedy: `Remove it, or let "${other}" hold fewer agents, or less often.`,
      },
    ];
  });
}

/** Of two that are the same but for their ids, the second is too much. */
function isInPlaceOf(one: RuleDocument, other: RuleDocument): boolean {
  if (one.mode === 'observe' && other.mode === 'shadow') return false;
  const more = MODES.indexOf(one.mode) - MODES.indexOf(other.mode);
  return more > 0 || (more === 0 && (one.id < other.id || !covers(reachOf(other), reachOf(one))));
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
      remedy: 'Archive it, or let a rule name it.',
    }));
}

/** Where a policy says which tools there are, each pattern of its lists is to match one of them. */
export function idlePatterns(policies: Policies, effort: LintEffort): Finding[] {
  return policies.flatMap(([, { versions, isArchived }]): Finding[] => {
    const document = versions.at(-1)?.document;
    if (isArchived || document?.tools === undefined) return [];
    const { id, tools } = document;
    const { allowedTools = [], delegableTools = [], deniedTools = [] } = document;
    const patterns = [...allowedTools, ...delegableTools, ...deniedTools];
    return patterns
      .filter((pattern) => {
        if (!takes(effort, tools.length)) {
          skip(effort, 'PATTERN_MATCHES_NOTHING', 'patterns');
          return false;
        }
        const matches = compileGlobs([pattern]);
        return tools.every((tool) => matches(tool) === null);
      })
      .map((pattern) => ({
        code: 'PATTERN_MATCHES_NOTHING',
        severity: 'warning',
        policies: [id],
        message: `The pattern "${pattern}" of the policy "${id}" matches none of the ${tools.length} tools that it declares.`,
        remedy: 'Check the spelling, or declare the tool under `tools`.',
      }));
  });
}
