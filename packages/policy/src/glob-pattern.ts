/** One glob: the literals that its stars leave, and whether a name holds them in their order. */
export interface Glob {
  readonly index: number;
  readonly pattern: string;
  /** What stands before the first star, between stars, and behind the last. */
  readonly head: string;
  readonly middles: readonly Segment[];
  /** Null where there is no star, and the head is all there is. */
  readonly tail: string | null;
}

export interface Segment {
  readonly text: string;
  /** For each prefix of `text`, the length of its longest border: the fallback table of Knuth, Morris and Pratt. */
  readonly borders: Uint32Array;
}

export function parseGlob(pattern: string, index: number): Glob {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop() ?? null;
  const middles = rest.filter((text) => text !== '').map(segmentOf);
  return { index, pattern, head, middles, tail };
}

export function segmentOf(text: string): Segment {
  return { text, borders: bordersOf(text) };
}

/** Linear in the name and the glob: leftmost placement of each middle is always best, so nothing is ever tried twice. */
export function matches({ head, middles, tail }: Glob, name: string): boolean {
  if (tail === null) return name === head;
  const end = name.length - tail.length;
  if (head.length > end || !name.startsWith(head) || !name.endsWith(tail)) return false;
  if (middles.length === 0) return true;
  let from = head.length;
  for (const segment of middles) {
    from = endOfFirst(segment, name, from, end);
    if (from < 0) return false;
  }
  return true;
}

/**
 * The position behind the first occurrence of the segment within [from, end), or -1. Linear whatever the text,
 * which `indexOf` is not: it takes |name| × |segment| steps on a run of one letter.
 */
export function endOfFirst({ text, borders }: Segment, name: string, from: number, end: number): number {
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
