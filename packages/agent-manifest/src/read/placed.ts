/** Finds the places of faults and warnings in their files. */
import type { FindPlace } from '@mandate/policy/documents';
import { type Found, MOST_FAULTS, type Path, type Placed } from './fault.ts';

/** Returns the file that contains the field at a path, and the place of the field in the file. */
export type FindInFiles = (path: Path) => { file: string } & ReturnType<FindPlace>;

/** Returns the first faults in the order of the file: by line, column, code and path. */
export function placed<Code extends string>(all: readonly Found<Code>[], find: FindInFiles): Placed<Code>[] {
  const first = all.slice(0, MOST_FAULTS).map(
    ({ code, path, message }): Placed<Code> => ({
      code,
      path: path.map(String).join('.'),
      ...find(path),
      message: message(),
    }),
  );
  const last = first.at(-1);
  if (last !== undefined && all.length > first.length)
    last.message += ` (and ${all.length - first.length} more like these: correct the first ones)`;
  return first.toSorted(inOrder);
}

function inOrder(one: Placed<string>, other: Placed<string>): number {
  return (
    compare(one.file, other.file) ||
    one.line - other.line ||
    one.column - other.column ||
    compare(one.code, other.code) ||
    compare(one.path, other.path)
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
