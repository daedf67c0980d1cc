/**
 * Finds patterns that match longer texts than their author may mean. Only patterns that can make a rule apply are
 * examined.
 */

import { consume, isAnchored } from '@mandate/policy/parts';
import { type Condition, type FieldCondition, stepsOf } from '@mandate/schemas';
import type { TenantControl } from '../tenant-control.ts';
import type { Finding } from './finding.ts';
import { skip } from './lint-budget.ts';
import { isOver, type LintContext, meant, type RuleRead } from './rules-read.ts';

/**
 * Examines only rules with a policy that allows something. Patterns under `not` are left out. If such a pattern
 * matches more texts, the rule applies less often, so it allows less.
 */
export function unanchoredPatterns(
  control: TenantControl,
  rules: readonly RuleRead[],
  { atMs, stepBudget }: LintContext,
): Finding[] {
  return rules.flatMap(({ document, read }): Finding[] => {
    if (!read.ok || document.when === undefined || isOver(document, atMs)) return [];
    if (meant(control, document)?.document.allowedTools?.length === 0) return [];
    return patternsMet(document.when, true).flatMap((condition): Finding[] => {
      if (!consume(stepBudget, condition.value.length)) {
        skip(stepBudget, 'PATTERN_UNANCHORED', 'rules');
        return [];
      }
      return isAnchored(condition.value) ? [] : [unanchored(document.id, condition)];
    });
  });
}

type Matching = FieldCondition & { op: 'matches'; value: string };

/**
 * @param isMet true if the rule applies when the condition is true; false if the rule applies when the condition is
 * false
 */
function patternsMet(condition: Condition, isMet: boolean): readonly Matching[] {
  if ('all' in condition) return condition.all.flatMap((part) => patternsMet(part, isMet));
  if ('any' in condition) return condition.any.flatMap((part) => patternsMet(part, isMet));
  if ('not' in condition) return condition.not.flatMap((part) => patternsMet(part, !isMet));
  return isMet && condition.op === 'matches' ? [condition as Matching] : [];
}

function unanchored(rule: string, { field, value }: Matching): Finding {
  return {
    code: 'PATTERN_UNANCHORED',
    severity: 'warning',
    rules: [rule],
    message: `The rule "${rule}" looks for the pattern ${JSON.stringify(value)} anywhere in ${stepsOf(field).join('.')}, so it also matches longer texts.`,
    remedy: `Write ${JSON.stringify(`^(?:${value})$`)} to match only the whole text. If any text may come before or after, write .* there.`,
  };
}
