/** A parsed glob: the literal texts between its stars. A name matches if it contains these texts in order. */
export interface Glob {
  readonly index: number;
  readonly pattern: string;
  /** The text before the first star. */
  readonly head: string;
  readonly middles: readonly Segment[];
  /** The text after the last star. Null if the glob has no star; `head` is then the whole glob. */
  readonly tail: string | null;
}

export interface Segment {
  readonly text: string;
  /**
   * For each prefix of `text`, the length of its longest border. A border is both a beginning and an end of the
   * prefix. This is the failure table of Knuth, Morris and Pratt.
   */
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

/**
 * True if the name matches. Takes time linear in the name and the glob. Each middle is searched from left to right,
 * and its first occurrence is always the best one, so no position is tried twice.
 */
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
 * Returns the position after the first occurrence of the segment in [from, end), or -1. Takes linear time for every
 * text. `indexOf` takes |name| × |segment| steps if the name repeats one letter.
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
