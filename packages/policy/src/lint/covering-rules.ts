/** Rules that hold whenever another does: what they give is always held together with what that one gives. */
import { type Condition, type RuleDocument, stepsOf } from '@mandate/schemas';
import { canonicalJson } from '../digest.ts';
import { takes } from '../effort.ts';
import { conjuncts } from '../rules/rule.ts';
import { rulesByGroup } from '../rules/rules-by-group.ts';
import { skip } from './effort.ts';
import { globsWithin } from './globs-within.ts';
import { isOver, type Look, type RuleRead } from './rules-read.ts';

/** Whom a rule holds, and when. */
export type Reach = {
  agents: readonly string[] | undefined;
  groups: readonly string[] | undefined;
  hasAgents(glob: string): boolean;
  conditions: ReadonlySet<string>;
  startsAtMs: number;
  endsAtMs: number;
};

export function reachOf({ agents, groups, when, startsAt, endsAt }: RuleDocument): Reach {
  let within: ((glob: string) => boolean) | null = null;
  return {
    agents,
    groups,
    hasAgents(glob) {
      within ??= globsWithin(agents ?? ['*']);
      return within(glob);
    },
    conditions: new Set(when === undefined ? [] : conjuncts(when).map(keyOf)),
    startsAtMs: startsAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(startsAt),
    endsAtMs: endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endsAt),
  };
}

/** The same for a field that is written with dots and one that is not. */
function keyOf(condition: Condition): string {
  return canonicalJson('field' in condition ? { ...condition, field: stepsOf(condition.field) } : condition);
}

/** Whether the first holds whenever the second does. False as well where that is not known. */
export function covers(wide: Reach, narrow: Reach): boolean {
  if (wide.startsAtMs > narrow.startsAtMs || wide.endsAtMs < narrow.endsAtMs) return false;
  if (wide.groups !== undefined && !isWithin(narrow.groups, (group) => wide.groups?.includes(group) === true))
    return false;
  if (wide.conditions.size > narrow.conditions.size) return false;
  for (const condition of wide.conditions) if (!narrow.conditions.has(condition)) return false;
  return wide.agents === undefined || isWithin(narrow.agents, wide.hasAgents);
}

function isWithin(names: readonly string[] | undefined, isThere: (name: string) => boolean): boolean {
  return names?.every(isThere) === true;
}

/** A rule, and all others that hold whenever it does. */
export type Covered = { rule: RuleRead; by: readonly RuleRead[] };

/** So many are held against each other in a step. */
const PAIRS = 10;

/**
 * Of each rule that is not over; of those that cannot be read nothing is known.
 *
 * @param around only what one of these covers, or is covered by
 */
export function coveredRules(
  rules: readonly RuleRead[],
  { atMs, effort }: Look,
  around: readonly RuleRead[] = rules,
): readonly Covered[] {
  const alive = ({ document, read }: RuleRead) => read.ok && !isOver(document, atMs);
  const all = rules.filter(alive).map((rule) => ({ rule, reach: reachOf(rule.document) }));
  const asked = new Set(around);
  const askedOf = all.filter(({ rule }) => asked.has(rule));
  const ofGroups = rulesByGroup(all, ({ reach }) => reach.groups ?? null);
  const covered: Covered[] = [];
  for (const { rule, reach } of all) {
    // Whoever holds it holds for one of its groups, as for the others.
    const others = asked.has(rule) ? ofGroups(reach.groups?.slice(0, 1) ?? []) : askedOf;
    if (!takes(effort, others.length / PAIRS)) {
      for (const code of FOUND_IN_PAIRS) skip(effort, code, 'rules');
      continue;
    }
    const by = others.filter((other) => other.rule !== rule && covers(other.reach, reach));
    if (by.length > 0) covered.push({ rule, by: by.map((other) => other.rule) });
  }
  return covered;
}

const FOUND_IN_PAIRS = ['RULE_ADDS_NOTHING', 'LIMIT_WITHOUT_EFFECT', 'TOOL_NEVER_AFFORDED'] as const;
