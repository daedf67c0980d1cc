/**
 * A mutation: one change of the code that breaks one promise. `find` is the text to replace, which must occur exactly
 * once in `file`.
 */
export type Mutation = { promise: string; file: string; find: string; replace: string };

export function inFile(
  file: string,
  rows: readonly [promise: string, find: string, replace: string][],
): Mutation[] {
  return rows.map(([promise, find, replace]) => ({ promise, file, find, replace }));
}
