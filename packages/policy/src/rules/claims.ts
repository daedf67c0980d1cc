/**
 * Claims: what the publisher of an action says about itself. Its context and its principal are its own words, unless its
 * API key pins it; nothing that Mandate sees confirms the rest.
 */
import type { FieldPath } from './condition.ts';
import type { Rule } from './rule.ts';

/** The claims that the rule looks at, as conditions name them: `context.environment`. */
export function claimsOf({ conditions }: Pick<Rule, 'conditions'>): readonly string[] {
  const fields = conditions.flatMap(({ fields }) => fields.filter(isClaim)).map((path) => path.join('.'));
  return [...new Set(fields)].toSorted();
}

function isClaim([root, first]: FieldPath): boolean {
  return root === 'context' || (root === 'action' && (first === 'context' || first === 'principal'));
}
