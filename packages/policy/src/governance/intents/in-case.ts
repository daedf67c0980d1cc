import type { EntityTypeFields } from './intents-document.ts';

/** Returns the value in the case of its entity type. By default, the value keeps its case. */
export function inCase(value: string, spelling: EntityTypeFields['case']): string {
  if (spelling === 'upper') return value.toUpperCase();
  return spelling === 'lower' ? value.toLowerCase() : value;
}
