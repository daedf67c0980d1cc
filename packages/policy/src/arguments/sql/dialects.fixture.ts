/** The dialects, with the names that tests use. */
import type { SqlDialect } from './dialect.ts';
import { EVERY_DIALECT, SQL_DIALECTS } from './dialects.ts';

export const ALL_DIALECTS = [EVERY_DIALECT, ...SQL_DIALECTS.values()];

export function dialect(name: string): SqlDialect {
  const found = SQL_DIALECTS.get(name);
  if (found === undefined) throw new Error(`${name} is no dialect`);
  return found;
}
