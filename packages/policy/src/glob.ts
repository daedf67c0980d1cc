import { type LiteralTrie, literalTrie } from './literal-trie.ts';

/** Names the first pattern of its list that matches, or null. */
export type GlobMatcher = (name: string) => string | null;

/**
 * Compiles a list of globs into one matcher that names the first pattern, in list order, which matches a name.
 *
 * Only `*` is special: any run of characters, the empty one, dots, slashes and line breaks included. Everything
 * else stands for itself, case-sensitive, compared by UTF-16 code unit. An empty list matches nothing.
 *
 * A name is checked in time linear in its length, plus one linear pass for each pattern that has a `*` inside
 * (`a*b`, `*a*`) and whose beginning (or, lacking one, whose end) the name shares. Names, `prefix*` and `*suffix`
 * cost one pass together however many there are, and nothing is remembered between calls, so a name never seen
 * before costs what any other costs.
 */
export function compileGlobs(patterns: readonly string[]): GlobMatcher {
  const names = new Map<string, number>();
  const byHead = literalTrie<Glob>('forwards');
  const byTail = literalTrie<Glob>('backwards');
  for (const [index, pattern] of patterns.entries()) {
    const glob = parseGlob(pattern, index);
    if (glob === null) {
      if (!names.has(pattern)) names.set(pattern, index);
    } else if (glob.head === '' && glob.tail !== '') byTail.add(glob.tail, glob);
    else byHead.add(glob.head, glob);
  }

  return (name) => {
    const exact = names.get(name) ?? patterns.length;
    const first = firstMatch(byTail, name, firstMatch(byHead, name, exact));
    return patterns[first] ?? null;
  };
}

/** A pattern with at least one star: what stands before the first, after the last, and between them. */
interface Glob {
  readonly index: number;
  readonly head: string;
  readonly middles: readonly Segment[];
  readonly tail: string;
}

interface Segment {
  readonly text: string;
  /** For each prefix of `text`, the length of its longest border: the fallback table of Knuth, Morris and Pratt. */
  readonly borders: Uint32Array;
}

/** Null when there is no star in it: a plain name. */
function parseGlob(pattern: string, index: number): Glob | null {
  const parts = pattern.split('*');
  const tail = parts.pop() ?? '';
  const head = parts.shift();
  if (head === undefined) return null;
  const middles = parts.filter((text) => text !== '').map((text) => ({ text, borders: bordersOf(text) }));
  return { index, head, middles, tail };
}

/** The lowest index below `bound` of a glob in the trie that matches, else `bound`. */
function firstMatch(trie: LiteralTrie<Glob>, name: string, bound: number): number {
  let first = bound;
  trie.visit(name, (globs) => {
    for (const glob of globs) {
      if (glob.index >= first) return;
      if (matches(glob, name)) {
        first = glob.index;
        return;
      }
    }
  });
  return first;
}

/** Leftmost placement of each middle is always best, so nothing is ever tried twice. */
function matches(glob: Glob, name: string): boolean {
  const end = name.length - glob.tail.length;
  if (glob.head.length > end || !name.startsWith(glob.head) || !name.endsWith(glob.tail)) return false;
  let from = glob.head.length;
  for (const segment of glob.middles) {
    from = endOfFirst(segment, name, from, end);
    if (from < 0) return false;
  }
  return true;
}

/**
 * The position behind the first occurrence of the segment within [from, end), or -1. Linear whatever the text,
 * which `indexOf` is not: it takes |name| × |segment| steps on a run of one letter.
 */
function endOfFirst({ text, borders }: Segment, name: string, from: number, end: number): number {
  let matched = 0;
  for (let at = from; at < end; at += 1) {
    const unit = name.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === unit) matched += 1;
    if (matched === text.length) return at + 1;
  }
  return -1;
}

function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (border > 0 && text.charCodeAt(border) !== text.charCodeAt(at)) border = borders[border - 1] ?? 0;
    if (text.charCodeAt(border) === text.charCodeAt(at)) border += 1;
    borders[at] = border;
  }
  return borders;
}
