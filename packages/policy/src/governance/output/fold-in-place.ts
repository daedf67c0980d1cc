import { foldText } from '../text/fold.ts';

/** A folded text that knows where its characters were before. */
export interface FoldedInPlace {
  readonly folded: string;
  /** Returns the span of the original text, from a span of the folded text. Both are in UTF-16 units. */
  placeOf(start: number, end: number): { start: number; end: number };
}

/** A letter with its marks and the invisible characters after it. Folding joins only these. */
const CLUSTER = /[\s\S][\p{M}\p{Cf}]*/gu;

export function foldInPlace(text: string): FoldedInPlace {
  let folded = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const piece = foldText(`|${cluster}|`).slice(1, -1);
    const added = folded.endsWith(' ') && piece.startsWith(' ') ? piece.slice(1) : piece;
    folded += added;
    for (let unit = 0; unit < added.length; unit += 1) {
      starts.push(index);
      ends.push(index + cluster.length);
    }
  }
  return {
    folded,
    placeOf: (start, end) => ({ start: starts[start] ?? text.length, end: ends[end - 1] ?? text.length }),
  };
}
