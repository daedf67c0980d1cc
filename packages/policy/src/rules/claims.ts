/**
 * Finds claims: fields in which the sender of an action describes itself. Context and principal are claims unless the
 * API key fixes them, because Mandate cannot confirm them.
 */
import type { FieldPath } from './condition.ts';
import type { Rule } from './rule.ts';

/**
 * Returns the claims that the conditions of the rule read, with the names that conditions use: `context.environment`.
 */
export function claimsOf({ conditions }: Pick<Rule, 'conditions'>): readonly string[] {
  const fields = conditions.flatMap(({ fields }) => fields.filter(isClaim)).map((path) => path.join('.'));
  return [...new Set(fields)].toSorted();
}

function isClaim([root, first]: FieldPath): boolean {
  return root === 'context' || (root === 'action' && (first === 'context' || first === 'principal'));
}
