/** Finds rules that apply whenever another rule applies. The policies of two such rules always apply together. */

import { canonicalJson } from '@mandate/policy';
import { conjuncts, consume, rulesByGroup, type StepBudget } from '@mandate/policy/parts';
import { type Condition, type RuleDocument, stepsOf } from '@mandate/schemas';
import { globsWithin } from './globs-within.ts';
import { skip } from './lint-budget.ts';
import { isOver, type LintContext, type RuleRead } from './rules-read.ts';

/** Which agents a rule matches, under which conditions, and when. */
export type Reach = {
  agents: readonly string[] | undefined;
  groups: readonly string[] | undefined;
  conditions: ReadonlySet<string>;
  startsAtMs: number;
  endsAtMs: number;
};

const reaches = new WeakMap<RuleDocument, Reach>();

export function reachOf(document: RuleDocument): Reach {
  const known = reaches.get(document);
  if (known !== undefined) return known;
  const { agents, groups, when, startsAt, endsAt } = document;
  const reach = {
    agents: agents?.includes('*') ? undefined : agents,
    groups,
    conditions: new Set(when === undefined ? [] : conjuncts(when).map(keyOf)),
    startsAtMs: startsAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(startsAt),
    endsAtMs: endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endsAt),
  };
  reaches.set(document, reach);
  return reach;
}

/**
 * Returns a text that is equal for equal conditions. The spelling of a field does not matter: with dots, or as a list
 * of steps.
 */
function keyOf(condition: Condition): string {
  return canonicalJson('field' in condition ? { ...condition, field: stepsOf(condition.field) } : condition);
}

type Within = (globs: readonly string[]) => (glob: string) => boolean;

/** True if the wide rule applies whenever the narrow rule applies. Also false if this is unknown. */
export function covers(wide: Reach, narrow: Reach, within: Within = globsWithin): boolean {
  if (wide.startsAtMs > narrow.startsAtMs || wide.endsAtMs < narrow.endsAtMs) return false;
  if (wide.groups !== undefined && !areAll(narrow.groups, (group) => wide.groups?.includes(group) === true))
    return false;
  if (wide.conditions.size > narrow.conditions.size) return false;
  for (const condition of wide.conditions) if (!narrow.conditions.has(condition)) return false;
  return wide.agents === undefined || areAll(narrow.agents, within(wide.agents));
}

function areAll(names: readonly string[] | undefined, isThere: (name: string) => boolean): boolean {
  return names?.every(isThere) === true;
}

/**
 * `rule`: a rule that has not ended. `instead`: a rule with the same policy that makes it redundant. `beside`: rules
 * with other policies that always apply together with it.
 */
export type Covered = { rule: RuleRead; instead: RuleRead | null; beside: readonly RuleRead[] };

/** At most this many rules are returned in `beside`, one for each policy. */
const MOST_BESIDE = 50;

/** The number of comparisons that one step of the budget pays for. */
const COMPARED = 2;

/** @param around limits the result: only pairs of rules that contain one of these rules are examined */
export function coveredRules(
  rules: readonly RuleRead[],
  { atMs, stepBudget }: LintContext,
  around: readonly RuleRead[] = rules,
): readonly Covered[] {
  // Rules that cannot be read are left out, because nothing is known about them.
  const alive = ({ document, read }: RuleRead) => read.ok && !isOver(document, atMs);
  const all = rules.filter(alive).map((rule) => ({ rule, reach: reachOf(rule.document) }));
  const asked = new Set(around);
  const askedOf = all.filter(({ rule }) => asked.has(rule));
  const ofNames = rulesByGroup(all, ({ reach }) => namesIn(reach));
  const within = withinBudget(stepBudget);
  const isCovered = (wide: Reach, narrow: Reach) =>
    consume(stepBudget, (1 + wide.conditions.size) / COMPARED) && covers(wide, narrow, within);
  const covered: Covered[] = [];
  for (const { rule, reach } of all) {
    const others = asked.has(rule) ? ofNames(firstNamesIn(reach)) : askedOf;
    let instead: RuleRead | null = null;
    const beside = new Map<string, RuleRead>();
    for (const other of others) {
      if (stepBudget.left < 0) break;
      if (other.rule === rule || !isCovered(other.reach, reach)) continue;
      const { policy, mode } = other.rule.document;
      if (policy !== rule.document.policy) {
        if (mode !== 'shadow' && beside.size < MOST_BESIDE && !beside.has(policy))
          beside.set(policy, other.rule);
      } else if (instead === null && isInPlaceOf(other.rule, rule, () => isCovered(reach, other.reach)))
        instead = other.rule;
    }
    if (stepBudget.left < 0) for (const code of FOUND_IN_PAIRS) skip(stepBudget, code, 'rules');
    else if (instead !== null || beside.size > 0)
      covered.push({ rule, instead, beside: [...beside.values()] });
  }
  return covered;
}

/**
 * Returns groups or agents. A rule that this rule covers must name at least one of them. Null if this rule may cover
 * any rule.
 */
function namesIn({ groups, agents }: Reach): readonly string[] | null {
  if (groups !== undefined) return groups.map((group) => `group ${group}`);
  if (agents?.every((glob) => !glob.includes('*'))) return agents.map((agent) => `agent ${agent}`);
  return null;
}

/**
 * Returns the first group and the first agent of the rule. They suffice to find the rules that may cover this rule,
 * because a rule that lists groups or agents must cover all groups or agents of this rule.
 */
function firstNamesIn({ groups, agents }: Reach): readonly string[] {
  return [
    ...(groups?.slice(0, 1) ?? []).map((group) => `group ${group}`),
    ...(agents?.slice(0, 1) ?? []).map((agent) => `agent ${agent}`),
  ];
}

const FOUND_IN_PAIRS = ['RULE_ADDS_NOTHING', 'LIMIT_WITHOUT_EFFECT', 'TOOL_NEVER_AFFORDED'] as const;

/** The cost of compiling one glob, in steps. */
const OF_GLOB = 50;

/** Compiles each list of globs once, within the step budget. */
function withinBudget(stepBudget: StepBudget): Within {
  const known = new Map<readonly string[], (glob: string) => boolean>();
  return (globs) => {
    const one = known.get(globs);
    if (one !== undefined) return one;
    const made = consume(stepBudget, OF_GLOB * globs.length) ? globsWithin(globs) : () => false;
    const counted = (glob: string) => consume(stepBudget, 1) && made(glob);
    known.set(globs, counted);
    return counted;
  };
}

/** The modes from weak to strong. If two rules give the same policy, the stronger mode decides. */
const MODES = ['shadow', 'observe', 'enforce'];

/**
 * True if the second rule is redundant because of the first. If the two rules differ only in their ids, the rule with
 * the greater id is redundant.
 */
function isInPlaceOf(
  { document: one }: RuleRead,
  { document: other }: RuleRead,
  isSame: () => boolean,
): boolean {
  if (one.mode === 'observe' && other.mode === 'shadow') return false;
  const more = MODES.indexOf(one.mode) - MODES.indexOf(other.mode);
  return more > 0 || (more === 0 && (one.id < other.id || !isSame()));
}
