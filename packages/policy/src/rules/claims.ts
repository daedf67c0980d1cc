/**
 * Claims: what the publisher of an action says about itself. Its context and principal are claims unless its API key
 * pins them, because Mandate cannot confirm them.
 */
import type { FieldPath } from './condition.ts';
import type { Rule } from './rule.ts';

/** Returns the claims that the conditions of the rule read, in the form of conditions: `context.environment`. */
export function claimsOf({ conditions }: Pick<Rule, 'conditions'>): readonly string[] {
  const fields = conditions.flatMap(({ fields }) => fields.filter(isClaim)).map((path) => path.join('.'));
  return [...new Set(fields)].toSorted();
}

function isClaim([root, first]: FieldPath): boolean {
  return root === 'context' || (root === 'action' && (first === 'context' || first === 'principal'));
}
