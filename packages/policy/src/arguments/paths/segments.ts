/** Splits paths into names, in the form that file systems compare. */

/**
 * Returns the names between slashes, without empty names and `.`. Windows ignores dots and blanks at the end of a
 * name, so `.. ` means the parent folder, and `windows.` is `windows`.
 */
export function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    const name = folded(segment);
    if (name !== '' && name !== '.') segments.push(name);
  }
  return segments;
}

const DOT = 0x2e;
const BLANK = 0x20;

function folded(segment: string): string {
  const last = segment.charCodeAt(segment.length - 1);
  if (last !== DOT && last !== BLANK) return segment;
  if (/^[. ]*$/.test(segment)) return /^ *\.\.(?: [. ]*)?$/.test(segment) ? '..' : segment.trim();
  let end = segment.length;
  while (end > 0 && (segment.charCodeAt(end - 1) === DOT || segment.charCodeAt(end - 1) === BLANK)) end -= 1;
  return segment.slice(0, end);
}

/** True if a relative path leaves the folder in which it begins. */
export function climbsOut(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    depth += segment === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Paths, grouped by their first name. So the code finds quickly whether another path begins with one of them. */
export type PathTable = ReadonlyMap<string, readonly (readonly string[])[]>;

export function pathTable(paths: readonly string[]): PathTable {
  const split = paths.map((path) => path.split('/'));
  // Windows gives a long name a second, short name, such as PROGRA~1. So the table contains both names.
  const asShort = split.flatMap((names) => {
    const short = shortName(names[0] ?? '');
    return short === null ? [] : [[short, ...names.slice(1)]];
  });
  return Map.groupBy([...split, ...asShort], ([first = '']) => first);
}

/** True if the names from index `at` begin with a path of the table. */
export function beginsIn(table: PathTable, segments: readonly string[], at = 0): boolean {
  const first = segments[at] ?? '';
  const paths = table.get(first) ?? (first.includes('~') ? table.get(shortForm(first)) : undefined);
  return (
    paths?.some((path) => path.every((name, step) => step === 0 || segments[at + step] === name)) === true
  );
}

/** Returns a short name without its number: `SYSTEM~1` and `system~2` are both `system~`. */
function shortForm(segment: string): string {
  return segment.replace(/~\d{1,6}(?=\.|$)/, '~');
}

/**
 * Returns the short name that Windows gives to a long name: six characters without blanks and dots, and three
 * characters of the ending. Null if Windows needs no short name.
 */
function shortName(name: string): string | null {
  const bare = name.replace(/^\.+/, '').replaceAll(' ', '');
  const dot = bare.lastIndexOf('.');
  const [base, ending] = dot < 0 ? [bare, ''] : [bare.slice(0, dot), bare.slice(dot)];
  const isShort = name === bare && base.length <= 8 && ending.length <= 4 && !base.includes('.');
  return isShort ? null : `${base.replaceAll('.', '').slice(0, 6)}~${ending.slice(0, 4)}`;
}
