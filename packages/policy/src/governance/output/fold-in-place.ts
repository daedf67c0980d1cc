import { foldText } from '../text/fold.ts';

/** A folded text that maps its characters to their places in the original text. */
export interface FoldedInPlace {
  readonly folded: string;
  /** Returns the span of the original text, from a span of the folded text. Both are in UTF-16 units. */
  placeOf(start: number, end: number): { start: number; end: number };
}

export function foldInPlace(text: string): FoldedInPlace {
  let folded = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { start, end } of clusters(text)) {
    const piece = foldText(`|${text.slice(start, end)}|`).slice(1, -1);
    const added = folded.endsWith(' ') && piece.startsWith(' ') ? piece.slice(1) : piece;
    folded += added;
    for (let unit = 0; unit < added.length; unit += 1) {
      starts.push(start);
      ends.push(end);
    }
  }
  return {
    folded,
    placeOf: (start, end) => ({ start: starts[start] ?? text.length, end: ends[end - 1] ?? text.length }),
  };
}

/** Splits the text into characters, each with the later characters that folding can join to it. */
function clusters(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let at = 0;
  for (const character of text) {
    const cluster = found.at(-1);
    const end = at + character.length;
    if (cluster !== undefined && canJoin(character)) cluster.end = end;
    else found.push({ start: at, end });
    at = end;
  }
  return found;
}

/** Marks, invisible characters, and the vowels and final consonants of Hangul that are written as parts. */
const JOINING = /^[\p{M}\p{Cf}\u1160-\u11ff]/u;

/** True if the character can join the one before it. Some forms of a mark become a mark only when they are folded. */
function canJoin(character: string): boolean {
  return character > '\x7f' && JOINING.test(character.normalize('NFKC'));
}
