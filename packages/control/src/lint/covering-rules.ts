/** Rules that hold whenever another does: what they give is always held together with what that one gives. */

import { canonicalJson } from '@mandate/policy';
import { conjuncts, type Effort, rulesByGroup, takes } from '@mandate/policy/parts';
import { type Condition, type RuleDocument, stepsOf } from '@mandate/schemas';
import { skip } from './effort.ts';
import { globsWithin } from './globs-within.ts';
import { isOver, type Look, type RuleRead } from './rules-read.ts';

/** The agents that a rule matches, and when. */
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

/** The same for a field that is written with dots and one that is not. */
function keyOf(condition: Condition): string {
  return canonicalJson('field' in condition ? { ...condition, field: stepsOf(condition.field) } : condition);
}

type Within = (globs: readonly string[]) => (glob: string) => boolean;

/** Whether the first holds whenever the second does. False as well where that is not known. */
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
 * A rule that is not over: a rule that gives the same instead of it, and some of the rules that are always given beside
 * it.
 */
export type Covered = { rule: RuleRead; instead: RuleRead | null; beside: readonly RuleRead[] };

/** The most of them for each rule; one of each policy. */
const MOST_BESIDE = 50;

/** So much is compared in a step. */
const COMPARED = 2;

/** @param around only what one of these covers, or is covered by */
export function coveredRules(
  rules: readonly RuleRead[],
  { atMs, effort }: Look,
  around: readonly RuleRead[] = rules,
): readonly Covered[] {
  // Rules that cannot be read are left out, because nothing is known about them.
  const alive = ({ document, read }: RuleRead) => read.ok && !isOver(document, atMs);
  const all = rules.filter(alive).map((rule) => ({ rule, reach: reachOf(rule.document) }));
  const asked = new Set(around);
  const askedOf = all.filter(({ rule }) => asked.has(rule));
  const ofNames = rulesByGroup(all, ({ reach }) => namesIn(reach));
  const within = withinEffort(effort);
  const isCovered = (wide: Reach, narrow: Reach) =>
    takes(effort, (1 + wide.conditions.size) / COMPARED) && covers(wide, narrow, within);
  const covered: Covered[] = [];
  for (const { rule, reach } of all) {
    const others = asked.has(rule) ? ofNames(firstNamesIn(reach)) : askedOf;
    let instead: RuleRead | null = null;
    const beside = new Map<string, RuleRead>();
    for (const other of others) {
      if (effort.left < 0) break;
      if (other.rule === rule || !isCovered(other.reach, reach)) continue;
      const { policy, mode } = other.rule.document;
      if (policy !== rule.document.policy) {
        if (mode !== 'shadow' && beside.size < MOST_BESIDE && !beside.has(policy))
          beside.set(policy, other.rule);
      } else if (instead === null && isInPlaceOf(other.rule, rule, () => isCovered(reach, other.reach)))
        instead = other.rule;
    }
    if (effort.left < 0) for (const code of FOUND_IN_PAIRS) skip(effort, code, 'rules');
    else if (instead !== null || beside.size > 0)
      covered.push({ rule, instead, beside: [...beside.values()] });
  }
  return covered;
}

/** Groups, or agents by their whole names, of which a rule that it covers must name one; null: it may cover any. */
function namesIn({ groups, agents }: Reach): readonly string[] | null {
  if (groups !== undefined) return groups.map((group) => `group ${group}`);
  if (agents?.every((glob) => !glob.includes('*'))) return agents.map((agent) => `agent ${agent}`);
  return null;
}

/** What covers a rule covers all that it names, and so the first. */
function firstNamesIn({ groups, agents }: Reach): readonly string[] {
  return [
    ...(groups?.slice(0, 1) ?? []).map((group) => `group ${group}`),
    ...(agents?.slice(0, 1) ?? []).map((agent) => `agent ${agent}`),
  ];
}

const FOUND_IN_PAIRS = ['RULE_ADDS_NOTHING', 'LIMIT_WITHOUT_EFFECT', 'TOOL_NEVER_AFFORDED'] as const;

/** What it takes to compile one. */
const OF_GLOB = 50;

/** Lists of globs, each compiled once. */
function withinEffort(effort: Effort): Within {
  const known = new Map<readonly string[], (glob: string) => boolean>();
  return (globs) => {
    const one = known.get(globs);
    if (one !== undefined) return one;
    const made = takes(effort, OF_GLOB * globs.length) ? globsWithin(globs) : () => false;
    const counted = (glob: string) => takes(effort, 1) && made(glob);
    known.set(globs, counted);
    return counted;
  };
}

/** By how much a mode gives: what is given twice is observed, or in shadow, only where both are. */
const MODES = ['shadow', 'observe', 'enforce'];

/** If two rules differ only in their ids, the second is redundant. */
function isInPlaceOf(
  { document: one }: RuleRead,
  { document: other }: RuleRead,
  isSame: () => boolean,
): boolean {
  if (one.mode === 'observe' && other.mode === 'shadow') return false;
  const more = MODES.indexOf(one.mode) - MODES.indexOf(other.mode);
  return more > 0 || (more === 0 && (one.id < other.id || !isSame()));
}
