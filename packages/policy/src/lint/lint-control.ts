/** What is amiss in a tenant's policies and rules, though every document of it is good: what blocks, and what does nothing. */
import { type AgentDocument, policyNamed, type RuleDocument } from '@mandate/schemas';
import { agentsAbove } from '../control/agents-above.ts';
import { agentOf, readRule } from '../control/compile-control.ts';
import type { PolicyHistory } from '../control/kept.ts';
import { boundsDocument, nameOfBounds } from '../control/tenant-bounds.ts';
import type { TenantControl } from '../control/tenant-control.ts';
import { type Effort, takes } from '../effort.ts';
import { compileGlobs } from '../glob.ts';
import { type AgentAttributes, mayMatch } from '../rules/ask-rules.ts';
import type { compileRule, Rule } from '../rules/rule.ts';
import { EFFORT_OF_ALL, EFFORT_OF_ONE, effortOf, type LintEffort, type Skipped, skip } from './effort.ts';
import { emptyTogether } from './empty-together.ts';
import type { Finding, LintFinding } from './finding.ts';
import { lintFamilies } from './lint-families.ts';

/** A rule as it is written, and what was made of it. */
type RuleRead = { document: RuleDocument; read: ReturnType<typeof compileRule> };

/** `skipped`: what would have taken too long; nothing: it is whole. */
export type Linted = { findings: readonly LintFinding[]; skipped: readonly Skipped[] };

export function lintControl(control: TenantControl, atMs: number, steps = EFFORT_OF_ALL): Linted {
  const rules = rulesOf(control);
  const inForce = rules.filter(({ document }) => isAlive(document, atMs));
  const agents = [...control.agents.values()].map(({ document }) => document);
  const policies = [...control.policies];
  const effort = effortOf(steps);
  const findings = whole([
    ...unreadableRules(rules),
    ...missingPolicies(control, rules, atMs),
    ...nothingInCommon(control, rules, agents, { atMs, effort }),
    ...lintFamilies(
      control,
      inForce.flatMap(({ read, document }) =>
        read.ok ? { rule: read.compiled, policy: meant(control, document)?.document } : [],
      ),
      effort,
    ),
    ...idleRules(control, rules, { atMs, effort }),
    ...unusedPolicies(policies, rules),
    ...idlePatterns(policies, effort),
  ]);
  return { findings, skipped: effort.skipped };
}

export type LintedDocument = { kind: 'rule' | 'policy'; id: string };

/** So many of the agents that its rules hold are looked at: whoever changes a document waits for the answer. */
const AGENTS_AROUND = 100;

/** What is amiss about one document, of all that lintControl tells save of families. */
export function lintAround(
  control: TenantControl,
  atMs: number,
  { kind, id }: LintedDocument,
): readonly LintFinding[] {
  const rules = rulesOf(control);
  const own = rules.filter(({ document }) => id === (kind === 'rule' ? document.id : policyIdOf(document)));
  const policies = [...control.policies].filter(([name]) => kind === 'policy' && name === id);
  const effort = effortOf(EFFORT_OF_ONE);
  return whole([
    ...unreadableRules(own),
    ...missingPolicies(control, own, atMs),
    ...nothingInCommon(control, rules, heldBy(control, own, effort), { atMs, effort }),
    ...idleRules(control, own, { atMs, effort }),
    ...unusedPolicies(policies, rules),
    ...idlePatterns(policies, effort),
  ]);
}

function whole(findings: readonly Finding[]): readonly LintFinding[] {
  return findings.map((finding) => ({ rules: [], policies: [], ...finding }));
}

function rulesOf({ rules }: TenantControl): readonly RuleRead[] {
  return [...rules.values()].map((kept) => ({ document: kept.document, read: readRule(kept) }));
}

function policyIdOf({ policy }: RuleDocument): string {
  return policyNamed(policy).id;
}

function heldBy(
  { agents }: TenantControl,
  rules: readonly RuleRead[],
  effort: Effort,
): readonly AgentDocument[] {
  const held: AgentDocument[] = [];
  for (const kept of agents.values()) {
    if (held.length === AGENTS_AROUND || !takes(effort, rules.length)) break;
    if (rules.some(({ read }) => read.ok && mayMatch(read.compiled, agentOf(kept), effort)))
      held.push(kept.document);
  }
  return held;
}

type Look = { atMs: number; effort: LintEffort };
type Policies = readonly (readonly [id: string, PolicyHistory])[];

/** The version that a rule means. */
function meant({ policies }: TenantControl, { policy }: RuleDocument) {
  const { id, version } = policyNamed(policy);
  const { versions = [], isArchived = false } = policies.get(id) ?? {};
  return isArchived ? undefined : versions[(version ?? versions.length) - 1];
}

/** In force, or will be. */
function isAlive({ mode, endsAt }: RuleDocument, atMs: number): boolean {
  return mode !== 'shadow' && (endsAt === undefined || Date.parse(endsAt) > atMs);
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
        message: `The rule "${document.id}" cannot be read (${why}): whatever the agents do that it names is blocked.`,
        remedy: 'Correct it, or remove it.',
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
      message: `The rule "${id}" names the policy "${policy}", which is not there or archived: whatever it matches is blocked.`,
      remedy: 'Publish that policy, or have the rule name another.',
    }));
}

/** For each set of rules that some agent may be held to at some time, a smallest set of policies that leaves no tool over. */
function nothingInCommon(
  control: TenantControl,
  rules: readonly RuleRead[],
  agents: readonly AgentDocument[],
  { atMs, effort }: Look,
): Finding[] {
  const enforced = rules
    .filter(({ document }) => isAlive(document, atMs))
    .flatMap((rule) => withPolicy(control, rule));
  const bounds = boundsIn(control);
  const given = new Map<string, readonly Held[]>();
  const givenTo = (agent: AgentAttributes) => {
    const known = given.get(agent.id);
    if (known !== undefined) return known;
    takes(effort, enforced.length);
    const held = enforced.filter(({ rule, tools }) => tools !== undefined && mayMatch(rule, agent, effort));
    given.set(agent.id, held);
    return held;
  };
  const found = new Map<string, Finding>();
  /** Whether anybody knows of such a set. */
  const looked = new Map<string, boolean>();
  const skipped = () => skip(effort, 'NOTHING_IN_COMMON', 'agents');
  for (const agent of agents) {
    if (effort.left < 0) {
      skipped();
      continue;
    }
    const above = agentsAbove(control.agents, agent).flatMap(({ id, agent: one }) =>
      one === null
        ? []
        : givenTo(one).map((held) => ({ ...held, policy: `${held.policy} of ${id}`, tools: held.below })),
    );
    const own = [...givenTo({ ...agent }), ...above];
    const held = own.length === 0 ? own : [...own, ...bounds];
    const key = held.map(({ rule, policy }) => `${rule?.id} ${policy}`).join('\n');
    const known = looked.get(key);
    if (known === false) skipped();
    if (known !== undefined) continue;
    const empty = emptyTogether(
      held.map(({ tools = [] }) => tools),
      effort,
    );
    // Of rules that were not all asked, some leaving no tool over means that all do; others mean nothing.
    const isKnown = empty === null ? effort.left >= 0 : empty !== undefined;
    looked.set(key, isKnown);
    if (!isKnown) skipped();
    if (!empty) continue;
    const names = [...new Set(empty.map((at) => held[at]?.policy ?? ''))];
    if (found.has(names.join('\n'))) continue;
    const quoted = names.map((name) => `"${name}"`).join(' and ');
    found.set(names.join('\n'), {
      code: 'NOTHING_IN_COMMON',
      severity: 'error',
      rules: empty.flatMap((at) => held[at]?.rule?.id ?? []),
      policies: names,
      message: `No tool is allowed by all of ${quoted}, to which the agent "${agent.id}" may be held: where all their rules match at once, every tool call is blocked.`,
      remedy:
        'Let their allowedTools have a name in common, or keep their rules from matching the same agent.',
    });
  }
  return [...found.values()];
}

/** `rule`: null of bounds, which no rule gives. `below`: what it allows to those below whoever holds it. */
type Held = {
  rule: Rule | null;
  policy: string;
  tools: readonly string[] | undefined;
  below: readonly string[] | undefined;
};

/** Of the tenant, where they say which tools there are. */
function boundsIn({ opened }: TenantControl): readonly Held[] {
  const tools = opened === null ? undefined : boundsDocument(opened.document)?.allowedTools;
  if (opened === null || tools === undefined) return [];
  return [{ rule: null, policy: nameOfBounds(opened), tools, below: tools }];
}

function withPolicy(control: TenantControl, { document, read }: RuleRead): (Held & { rule: Rule })[] {
  const policy = meant(control, document);
  if (!read.ok || policy === undefined) return [];
  const { allowedTools: tools, delegableTools = [] } = policy.document;
  const below = tools && [...tools, ...delegableTools];
  return [{ rule: read.compiled, policy: document.policy, tools, below }];
}

function idleRules(control: TenantControl, rules: readonly RuleRead[], { atMs, effort }: Look): Finding[] {
  const agents: readonly AgentAttributes[] = [...control.agents.values()].map((kept) => agentOf(kept));
  return rules.flatMap(({ document: { id, endsAt }, read }): Finding[] => {
    if (read.ok && endsAt !== undefined && Date.parse(endsAt) <= atMs)
      return [
        {
          code: 'RULE_ENDED',
          severity: 'warning',
          rules: [id],
          message: `The rule "${id}" ended at ${endsAt}.`,
          remedy: 'Remove it, or let it end later.',
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

function unusedPolicies(policies: Policies, rules: readonly RuleRead[]): Finding[] {
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
function idlePatterns(policies: Policies, effort: LintEffort): Finding[] {
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
