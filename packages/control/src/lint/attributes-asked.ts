/** The attributes of agents that some rules ask about. No other attribute changes which rules match. */
import { type Condition, type FieldCondition, type RuleDocument, stepsOf } from '@mandate/schemas';

export type AttributesAsked = {
  group(name: string): boolean;
  /** True if a rule asks about the attribute, or about a part of it, given by its steps: `labels`, `tier`. */
  attribute(...steps: readonly string[]): boolean;
};

export function attributesAsked(rules: Iterable<RuleDocument>): AttributesAsked {
  const groups = new Set<string>();
  const paths = new Map<string, readonly string[]>();
  for (const { groups: named = [], when } of rules) {
    for (const group of named) groups.add(group);
    for (const { field } of when === undefined ? [] : fieldsIn(when)) {
      const [root, ...path] = stepsOf(field);
      if (root === 'agent') paths.set(JSON.stringify(path), path);
    }
  }
  const attribute = (...steps: readonly string[]) =>
    [...paths.values()].some((path) => path.every((step, at) => at >= steps.length || step === steps[at]));
  return { group: (name) => groups.has(name) || attribute('groups'), attribute };
}

function fieldsIn(condition: Condition): readonly FieldCondition[] {
  if ('field' in condition) return [condition];
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : condition.not;
  return parts.flatMap(fieldsIn);
}
