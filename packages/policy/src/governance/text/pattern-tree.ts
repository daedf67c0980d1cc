/**
 * An ECMAScript pattern as a tree. It has only the parts that text patterns need: characters, classes, groups,
 * branches, anchors and repeats.
 */
export type PatternTree = readonly Branch[];
export type Branch = readonly PatternPart[];
export type PatternPart =
  /** Matches one character: a literal, an escape, `.` or a class. */
  | { readonly is: 'character'; readonly source: string; readonly repeat: Repeat }
  | {
      readonly is: 'group';
      readonly open: '(' | '(?:';
      readonly branches: PatternTree;
      readonly repeat: Repeat;
    }
  /** `^` or `$` */
  | { readonly is: 'anchor'; readonly source: string }
  /** `\b` */
  | { readonly is: 'boundary' };

/** How often a part occurs. `source` is empty for a part that occurs once. */
export type Repeat = { readonly source: string; readonly least: number; readonly most: number };

export const ONCE: Repeat = { source: '', least: 1, most: 1 };

/** The source of a RegExp that matches one escape. */
export const ESCAPE = String.raw`\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[\s\S])`;
const TOKEN = new RegExp(
  String.raw`${ESCAPE}|\[(?:\\[\s\S]|[^\\\]])*\]|\(\?:|\(\?<[^>]*>|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]`,
  'gu',
);

/** @param pattern must be a valid pattern with the flag `u`, without look-around and flags */
export function patternTree(pattern: string): PatternTree {
  const open: { branches: PatternPart[][]; parenthesis: '(' | '(?:' }[] = [];
  let branches: PatternPart[][] = [[]];
  const add = (part: PatternPart) => branches.at(-1)?.push(part);
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token.startsWith('(')) {
      open.push({ branches, parenthesis: token === '(?:' ? '(?:' : '(' });
      branches = [[]];
    } else if (token === ')') {
      const group = branches;
      const around = open.pop();
      branches = around?.branches ?? [];
      add({ is: 'group', open: around?.parenthesis ?? '(?:', branches: group, repeat: ONCE });
    } else if (token === '|') branches.push([]);
    else if (token === '^' || token === '$') add({ is: 'anchor', source: token });
    else if (token === '\\b') add({ is: 'boundary' });
    else if (/^[*+?{]/.test(token)) repeatLast(branches.at(-1) ?? [], repeatOf(token));
    else add({ is: 'character', source: token, repeat: ONCE });
  }
  return branches;
}

export function patternOf(tree: PatternTree): string {
  return tree.map((branch) => branch.map(sourceOf).join('')).join('|');
}

function sourceOf(part: PatternPart): string {
  if (part.is === 'boundary') return '\\b';
  if (part.is === 'anchor') return part.source;
  if (part.is === 'character') return part.source + part.repeat.source;
  return `${part.open}${patternOf(part.branches)})${part.repeat.source}`;
}

function repeatLast(branch: PatternPart[], repeat: Repeat): void {
  const last = branch.pop();
  if (last?.is === 'character' || last?.is === 'group') branch.push({ ...last, repeat });
}

function repeatOf(token: string): Repeat {
  const [least = '0', most] = token.match(/\d+/g) ?? [];
  if (token.startsWith('{')) {
    const open = token.includes(',') ? Number.POSITIVE_INFINITY : Number(least);
    return { source: token, least: Number(least), most: most === undefined ? open : Number(most) };
  }
  const manyTimes = token.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
  return { source: token, least: token.startsWith('+') ? 1 : 0, most: manyTimes };
}
