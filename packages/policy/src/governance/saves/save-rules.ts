import type { StepBudget } from '../../step-budget.ts';
import { type TextPattern, textPattern } from '../text/text-pattern.ts';
import type { Lengths, SaveRuleFields } from './save-rules-document.ts';

export interface SaveRule {
  readonly name: string;
  readonly action: string;
  /** Null if the rule saves nothing. */
  readonly store: string | null;
  readonly ttlMs: number | null;
  /** True if a pattern matches and the condition holds. A rule with only patterns or a condition needs only these. */
  holds(folded: string, lengths: Lengths, stepBudget: StepBudget): boolean;
}

const PRIORITIES = new Map([
  ['session', 40],
  ['permanent', 30],
  ['ignore', 20],
  ['episodic', 10],
]);

/** Returns the rules in the order in which they are asked. Rules of equal priority keep the order of the file. */
export function compileSaveRules(
  rules: Readonly<Record<string, SaveRuleFields>>,
  room: StepBudget,
): readonly SaveRule[] {
  return Object.entries(rules)
    .map(([name, fields]) => ({
      priority: fields.priority ?? PRIORITIES.get(name) ?? 0,
      rule: compileRule(name, fields, room),
    }))
    .toSorted((a, b) => b.priority - a.priority)
    .map(({ rule }) => rule);
}

function compileRule(name: string, fields: SaveRuleFields, room: StepBudget): SaveRule {
  const { action, condition, ttlMs = null } = fields;
  const patterns = fields.patterns?.map((pattern) => textPattern(pattern, room));
  return {
    name,
    action,
    store: storeOf(fields),
    ttlMs,
    holds(folded, lengths, stepBudget) {
      if (patterns === undefined && condition === undefined) return false;
      if (condition !== undefined && !condition(lengths)) return false;
      return patterns === undefined || matchesOne(patterns, folded, stepBudget);
    },
  };
}

function matchesOne(patterns: readonly TextPattern[], folded: string, stepBudget: StepBudget): boolean {
  return patterns.some((pattern) => pattern.test(folded, stepBudget));
}

const SAVE_TO = 'save_to_';

function storeOf({ action, store }: SaveRuleFields): string | null {
  if (action.startsWith(SAVE_TO)) return action.slice(SAVE_TO.length);
  if (action === 'save') return store ?? null;
  return action === 'summarize_and_save' ? (store ?? 'episodic') : null;
}
