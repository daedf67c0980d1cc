import type { FieldCondition } from './condition-document.ts';

/** Returns the names that lead to a field, beginning with its root. */
export function stepsOf(field: FieldCondition['field']): readonly string[] {
  return typeof field === 'string' ? field.split('.') : field;
}
