/** Finds the places of faults in their files. */
import { type Found, isError, type ManifestFault, MOST_FAULTS, type Path } from './fault.ts';
import type { SourceFile } from './source-file.ts';

/** Returns the file in which the field at a path is written. */
export type FileOf = (path: Path) => SourceFile;

export type Sorted = { errors: ManifestFault[]; warnings: ManifestFault[] };

/** Splits faults into errors and warnings, each with its place and in the order of the file. */
export function placeFaults(faults: readonly Found[], fileOf: FileOf, mode: 'strict' | 'lenient'): Sorted {
  const errors = faults.filter(({ code }) => isError(code, mode));
  const warnings = faults.filter(({ code }) => !isError(code, mode));
  return { errors: placed(errors, fileOf), warnings: placed(warnings, fileOf) };
}

function placed(faults: readonly Found[], fileOf: FileOf): ManifestFault[] {
  const first = faults.slice(0, MOST_FAULTS).map(({ code, path, message }): ManifestFault => {
    const file = fileOf(path);
    const dotted = path.map(String).join('.');
    return { code, file: file.name, path: dotted, ...file.find(path), message: message() };
  });
  const last = first.at(-1);
  if (last !== undefined && faults.length > first.length)
    last.message += ` (and ${faults.length - first.length} more like these: correct the first ones)`;
  return first.sort((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
