/** A compiled rule: the policy, and all conditions under which the policy applies. */

import type { Condition, RuleDocument } from '@mandate/schemas';
import { CAPS, policyNamed } from '@mandate/schemas/core';
import { endlessRoom, type Room, roomToWrite } from '../arguments/pattern-size.ts';
import { PatternRefused } from '../arguments/pattern-to-re2.ts';
import { compileGlobs, type GlobMatcher } from '../glob.ts';
import type { Compiled } from '../mandate/compile-mandate.ts';
import { type CompiledCondition, compileCondition } from './condition.ts';
import { conditionNameFaults } from './condition-names.ts';

export type Rule = {
  id: string;
  priority: number;
  /** `version` is null if the rule names the latest version. */
  policy: { id: string; version: number | null };
  mode: RuleDocument['mode'];
  agents: GlobMatcher | null;
  groups: ReadonlySet<string> | null;
  /** The rule applies only if all these conditions are true. */
  conditions: readonly CompiledCondition[];
  startsAtMs: number | null;
  endsAtMs: number | null;
};

/**
 * @param how.isOnLog true if the rule is on the log. The process that wrote it has checked the size limits, and later
 *   limits do not apply.
 * @param how.room the limits shared by all documents of a request; absent if the rule has its own limits
 */
export function compileRule(
  document: RuleDocument,
  { isOnLog = false, room = roomToWrite() }: { isOnLog?: boolean; room?: Room } = {},
): Compiled<Rule> {
  const { id, priority, policy, mode, agents, groups, when, startsAt, endsAt } = document;
  if (when !== undefined && size(when) > CAPS.conditions)
    return fault('when', `has more than ${CAPS.conditions} conditions: split it into several rules`);
  const [startsAtMs, endsAtMs] = [startsAt, endsAt].map((at) => (at === undefined ? null : Date.parse(at)));
  if (startsAtMs != null && endsAtMs != null && endsAtMs <= startsAtMs)
    return fault('endsAt', 'must be after startsAt: otherwise the rule is never in force');
  const faults = isOnLog || when === undefined ? [] : conditionNameFaults(when, ['when']);
  if (faults.length > 0) return { ok: false, faults };
  const patterns = isOnLog ? endlessRoom() : room.patterns;
  try {
    const compiled: Rule = {
      id,
      priority,
      policy: policyNamed(policy),
      mode,
      agents: agents === undefined ? null : compileGlobs(agents),
      groups: groups === undefined ? null : new Set(groups),
      conditions: when === undefined ? [] : conjuncts(when).map((one) => compileCondition(one, patterns)),
      startsAtMs: startsAtMs ?? null,
      endsAtMs: endsAtMs ?? null,
    };
    return { ok: true, compiled };
  } catch (error) {
    if (error instanceof PatternRefused) return fault('when', error.message);
    throw error;
  }
}

function fault(field: string, message: string): Compiled<Rule> {
  return { ok: false, faults: [{ path: [field], message }] };
}

/**
 * Splits a condition into conditions that must all be true. Each of them can be evaluated as soon as its fields are
 * known.
 */
export function conjuncts(condition: Condition): readonly Condition[] {
  return 'all' in condition ? condition.all.flatMap(conjuncts) : [condition];
}

function size(condition: Condition): number {
  const parts =
    'all' in condition
      ? condition.all
      : 'any' in condition
        ? condition.any
        : 'not' in condition
          ? condition.not
          : [];
  return parts.reduce((sum, part) => sum + size(part), 1);
}
