import type { FieldCondition } from './condition-document.ts';

/** The steps of a field, from its root on. */
export function stepsOf(field: FieldCondition['field']): readonly string[] {
  return typeof field === 'string' ? field.split('.') : field;
}
