import { consume, type StepBudget } from '../../step-budget.ts';

/** A part of a text, from `start` to before `end`. */
interface Piece {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Returns pieces in UTF-16 units. They may overlap. */
export type FindPieces = (text: string, stepBudget: StepBudget) => readonly Piece[];

export interface OutputFilter {
  readonly action: 'redact' | 'block';
  readonly find: FindPieces;
}

export type FilteredOutput =
  /** The kinds of content that block the text, in the order of the filters. */
  | { readonly blocked: readonly string[] }
  /** In characters of the text, in the order of the text, none over another. */
  | { readonly blocked: null; readonly redactions: readonly Piece[] };

/**
 * Asks all filters about an output. A text with something to block is blocked, whatever else would be redacted.
 * Overlapping pieces become one piece, of the type of the first filter, so nothing that was found remains.
 *
 * @returns null if the step budget is used up
 */
export function filterOutput(
  text: string,
  filters: readonly OutputFilter[],
  stepBudget: StepBudget,
): FilteredOutput | null {
  const blocked = new Set<string>();
  const pieces: (Piece & { order: number })[] = [];
  for (const [order, { action, find }] of filters.entries()) {
    if (!consume(stepBudget, text.length)) return null;
    for (const piece of find(text, stepBudget)) {
      if (piece.end <= piece.start) continue;
      if (action === 'block') blocked.add(piece.type);
      else pieces.push({ ...piece, order });
    }
    if (stepBudget.left < 0) return null;
  }
  if (blocked.size > 0) return { blocked: [...blocked] };
  return { blocked: null, redactions: inCharacters(text, withoutOverlaps(pieces)) };
}

function withoutOverlaps(pieces: readonly (Piece & { order: number })[]): readonly Piece[] {
  const merged: (Piece & { order: number })[] = [];
  for (const piece of pieces.toSorted((a, b) => a.start - b.start || a.order - b.order)) {
    const last = merged.at(-1);
    if (last === undefined || piece.start >= last.end) merged.push(piece);
    else {
      const { type, order } = piece.order < last.order ? piece : last;
      merged[merged.length - 1] = { type, order, start: last.start, end: Math.max(last.end, piece.end) };
    }
  }
  return merged;
}

/** @param pieces in order, in UTF-16 units. A piece that begins or ends within a character takes the whole character. */
function inCharacters(text: string, pieces: readonly Piece[]): Piece[] {
  let unit = 0;
  let character = 0;
  const placeOf = (at: number, mode: 'start' | 'end') => {
    while (unit < at) {
      const width = (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
      if (mode === 'start' && unit + width > at) break;
      unit += width;
      character += 1;
    }
    return character;
  };
  return pieces.map(({ type, start, end }) => ({
    type,
    start: placeOf(start, 'start'),
    end: placeOf(end, 'end'),
  }));
}
