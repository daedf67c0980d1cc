/** Finds agents with policies that together allow no tool, no model or no provider. */

import type { AgentAttributes, Rule } from '@mandate/policy';
import { conjuncts, consume, mayMatch, rulesByGroup, type StepBudget } from '@mandate/policy/parts';
import {
  type AgentDocument,
  type Condition,
  type PolicyDocument,
  type RuleDocument,
  stepsOf,
} from '@mandate/schemas';
import { ancestorAgents } from '../ancestor-agents.ts';
import type { TenantControl } from '../tenant-control.ts';
import { nameOfTenantLimits, tenantLimitsDocument } from '../tenant-limits.ts';
import { emptyTogether, type Names } from './empty-together.ts';
import type { Finding } from './finding.ts';
import { skip } from './lint-budget.ts';
import { modelNames, providerNames } from './names-in-lists.ts';
import { neverHold } from './never-hold.ts';
import { isAlive, type LintContext, meant, type RuleRead } from './rules-read.ts';

const KINDS = {
  tool: { every: 'every tool call is blocked', field: 'allowedTools' },
  model: { every: 'every LLM call is blocked', field: 'allowedModels' },
  provider: { every: 'every LLM call is blocked', field: 'allowedProviders' },
} as const;
type Kind = keyof typeof KINDS;

/**
 * Returns a finding for each set of rules that may apply to an agent at once and together allow no name. The finding
 * names a smallest set of the policies that exclude each other.
 */
export function nothingInCommon(
  control: TenantControl,
  rules: readonly RuleRead[],
  agents: readonly AgentDocument[],
  context: LintContext,
): Finding[] {
  return (['tool', 'model', 'provider'] as const).flatMap((kind) =>
    ofKind(kind, control, rules, agents, context),
  );
}

/**
 * A policy that restricts names, for example of tools. `rule` is null for tenant limits, because no rule gives them.
 * `ancestor` is the ancestor that has the policy, or null if the agent itself has it.
 */
type Held = {
  rule: { document: RuleDocument; compiled: Rule } | null;
  ancestor: string | null;
  policy: string;
  names: Names;
  /** The names that the policy of an ancestor allows to its descendants. */
  below: Names;
};

function ofKind(
  kind: Kind,
  control: TenantControl,
  rules: readonly RuleRead[],
  agents: readonly AgentDocument[],
  { atMs, stepBudget }: LintContext,
): Finding[] {
  const enforced = rules
    .filter(({ document }) => isAlive(document, atMs))
    .flatMap((rule) => givenBy(kind, control, rule));
  const tenantLimits = tenantLimitsIn(kind, control);
  const ofGroups = rulesByGroup(enforced, ({ rule }) => rule.compiled.groups);
  const given = new Map<string, readonly Held[]>();
  const givenTo = (agent: AgentAttributes) => {
    const known = given.get(agent.id);
    if (known !== undefined) return known;
    const some = ofGroups(agent.groups);
    consume(stepBudget, some.length);
    const held = some.filter(({ rule }) => mayMatch(rule.compiled, agent, stepBudget));
    given.set(agent.id, held);
    return held;
  };
  const found = new Map<string, Finding>();
  /**
   * The sets of rules that were examined already. The value is true if the search could decide whether the set allows
   * a name.
   */
  const looked = new Map<string, boolean>();
  const skipped = () => skip(stepBudget, 'NOTHING_IN_COMMON', 'agents');
  for (const agent of agents) {
    if (stepBudget.left < 0) {
      skipped();
      continue;
    }
    const ancestors = ancestorAgents(control.agents, agent).flatMap(({ id, agent: one }) =>
      one === null ? [] : givenTo(one).map((held) => asBelow(held, id)),
    );
    const own = [...givenTo({ ...agent }), ...ancestors];
    const held = own.length === 0 ? own : [...own, ...tenantLimits];
    const key = held.map(({ rule, policy }) => `${rule?.document.id} ${policy}`).join('\n');
    const known = looked.get(key);
    if (known === false) skipped();
    if (known !== undefined) continue;
    const empty = emptyAtOnce(held, stepBudget);
    // If a set without a common name was found, the result is certain. If none was found, the result is certain only
    // if the step budget was not used up.
    const isKnown = empty === null ? stepBudget.left >= 0 : empty !== undefined;
    looked.set(key, isKnown);
    if (!isKnown) skipped();
    if (!empty) continue;
    const names = [...new Set(empty.map(({ policy }) => policy))];
    if (!found.has(names.join('\n'))) found.set(names.join('\n'), nothingLeft(kind, agent, names, empty));
  }
  return [...found.values()];
}

function nothingLeft(
  kind: Kind,
  agent: AgentDocument,
  names: readonly string[],
  empty: readonly Held[],
): Finding {
  const quoted = names.map((name) => `"${name}"`).join(' and ');
  const { every, field } = KINDS[kind];
  return {
    code: 'NOTHING_IN_COMMON',
    severity: 'error',
    rules: [...new Set(empty.flatMap(({ rule }) => rule?.document.id ?? []))],
    policies: names,
    message: `No ${kind} is allowed by all of ${quoted}, which may apply to the agent "${agent.id}" together. If all their rules match at once, ${every}.`,
    remedy: `Add a name to the ${field} of all of them that none of them denies. Or change the rules so that they never match the same agent.`,
  };
}

/** The cost of trying another set. */
const OF_SET = 50;

/** Like `emptyTogether`, but a returned set contains only rules that may apply at the same time. */
function emptyAtOnce(held: readonly Held[], stepBudget: StepBudget): readonly Held[] | null | undefined {
  if (!consume(stepBudget, OF_SET)) return undefined;
  const empty = emptyTogether(
    held.map(({ names }) => names),
    stepBudget,
  );
  if (!empty) return empty;
  const set = empty.flatMap((at) => held[at] ?? []);
  if (mayHoldAtOnce(set, stepBudget)) return set;
  let isKnown = true;
  for (const left of set) {
    const others = emptyAtOnce(
      held.filter((one) => one !== left),
      stepBudget,
    );
    if (others) return others;
    if (others === undefined) isKnown = false;
  }
  return isKnown ? null : undefined;
}

function mayHoldAtOnce(set: readonly Held[], stepBudget: StepBudget): boolean {
  const starts = set.map(({ rule }) => rule?.compiled.startsAtMs ?? Number.NEGATIVE_INFINITY);
  const ends = set.map(({ rule }) => rule?.compiled.endsAtMs ?? Number.POSITIVE_INFINITY);
  if (Math.max(...starts) >= Math.min(...ends)) return false;
  const asked = set.flatMap(({ rule, ancestor }) => {
    const { when } = rule?.document ?? {};
    const all = when === undefined ? [] : conjuncts(when);
    // The rules of an ancestor are evaluated for the same action, but for another agent. So conditions on the agent
    // are left out.
    return ancestor === null ? all : all.filter(isOfAct);
  });
  return !neverHold(asked, stepBudget);
}

function isOfAct(condition: Condition): boolean {
  if (!('field' in condition)) return false;
  const [root, name] = stepsOf(condition.field);
  return root !== 'agent' && name !== 'agentId';
}

function asBelow(held: Held, ancestor: string): Held {
  return { ...held, ancestor, policy: `${held.policy} of ${ancestor}`, names: held.below };
}

function tenantLimitsIn(kind: Kind, { opened }: TenantControl): readonly Held[] {
  const document = opened && tenantLimitsDocument(opened.document);
  if (!opened || !document) return [];
  const policy = nameOfTenantLimits(opened);
  return namesIn(kind, document).map((names) => ({
    rule: null,
    ancestor: null,
    policy,
    names,
    below: names,
  }));
}

function givenBy(
  kind: Kind,
  control: TenantControl,
  { document, read }: RuleRead,
): (Held & { rule: { document: RuleDocument; compiled: Rule } })[] {
  const policy = meant(control, document)?.document;
  if (!read.ok || policy === undefined) return [];
  const rule = { document, compiled: read.compiled };
  const below = namesIn(kind, withDelegable(policy));
  return namesIn(kind, policy).map((names, at) => {
    return { rule, ancestor: null, policy: document.policy, names, below: below[at] ?? names };
  });
}

function withDelegable(policy: PolicyDocument): PolicyDocument {
  const { allowedTools, delegableTools } = policy;
  if (allowedTools === undefined || delegableTools === undefined) return policy;
  return { ...policy, allowedTools: [...allowedTools, ...delegableTools] };
}

const ANY = ['*'];
const NONE: readonly string[] = [];

/**
 * Returns lists that must each allow a name. Empty if the policy does not restrict such names, or denies all names
 * explicitly.
 */
function namesIn(kind: Kind, policy: PolicyDocument): readonly Names[] {
  const { allowed, denied } = listsOf(kind, policy);
  const known = kind === 'tool' ? policy.tools : undefined;
  if (allowed?.length === 0 || denied?.includes('*')) return [];
  return [
    ...(allowed === undefined && denied === undefined ? [] : [NAMES[kind](allowed ?? ANY, denied ?? NONE)]),
    ...(known === undefined ? [] : [{ allowed: known, denied: NONE }]),
  ];
}

type Lists = { allowed: readonly string[] | undefined; denied: readonly string[] | undefined };

function listsOf(kind: Kind, policy: PolicyDocument): Lists {
  if (kind === 'tool') return { allowed: policy.allowedTools, denied: policy.deniedTools };
  if (kind === 'model') return { allowed: policy.allowedModels, denied: policy.deniedModels };
  return { allowed: policy.allowedProviders, denied: policy.deniedProviders };
}

const NAMES: Record<Kind, (allowed: readonly string[], denied: readonly string[]) => Names> = {
  tool: (allowed, denied) => ({ allowed, denied }),
  model: modelNames,
  provider: providerNames,
};
