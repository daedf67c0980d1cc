import type { FieldCondition } from './condition-document.ts';

/** Returns the steps of a field, beginning with its root. */
export function stepsOf(field: FieldCondition['field']): readonly string[] {
  return typeof field === 'string' ? field.split('.') : field;
}
