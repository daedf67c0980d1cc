/** Converts names from a program to names that a record may contain. The plane refuses a record with any other name. */
import type { Person } from './model.ts';

const MOST_UNITS = 200;

/** Characters that show nothing, and blanks. */
const FORBIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the name with `_` for each character that no name may have. Null if the value is not text, or is empty. */
export function nameOf(stated: unknown): string | null {
  if (typeof stated !== 'string' || stated === '') return null;
  return stated.slice(0, MOST_UNITS).replace(FORBIDDEN, '_');
}

/** Returns the person. Null if the id is not a valid name, because a changed id would be another person. */
export function personOf(stated: unknown): Person | null {
  if (typeof stated !== 'object' || stated === null) return null;
  const id = 'id' in stated ? stated.id : null;
  const role = 'role' in stated ? stated.role : null;
  if (typeof id !== 'string' || id.length > MOST_UNITS || nameOf(id) !== id) return null;
  return typeof role === 'string' && nameOf(role) === role ? { id, role } : { id };
}
