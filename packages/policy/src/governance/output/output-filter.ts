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
  /** The types of content that block the text, in the order of the filters. */
  | { readonly blocked: readonly string[] }
  /** Positions are in characters. The redactions are in the order of the text and do not overlap. */
  | { readonly blocked: null; readonly redactions: readonly Piece[] };

/**
 * Runs all filters on an output. If one filter blocks the text, nothing is redacted. Overlapping pieces become one
 * piece, with the type of the first filter. So redactions cover everything that the filters found.
 *
 * @returns null if the step budget is used up
 */
export function filterOutput(
  text: string,
  filters: readonly OutputFilter[],
  stepBudget: StepBudget,
): FilteredOutput | null {
  const blocked = new Set<string>();
  const pieces: FoundBy[] = [];
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
  return { blocked: null, redactions: withoutOverlaps(inCharacters(text, pieces)) };
}

type FoundBy = Piece & { readonly order: number };

function withoutOverlaps(pieces: readonly FoundBy[]): readonly Piece[] {
  const merged: FoundBy[] = [];
  for (const piece of pieces.toSorted((a, b) => a.start - b.start || a.order - b.order)) {
    const last = merged.at(-1);
    if (last === undefined || piece.start >= last.end) merged.push(piece);
    else {
      const { type, order } = piece.order < last.order ? piece : last;
      merged[merged.length - 1] = { type, order, start: last.start, end: Math.max(last.end, piece.end) };
    }
  }
  return merged.map(({ type, start, end }) => ({ type, start, end }));
}

/** A piece that begins or ends within a character covers the whole character. */
function inCharacters(text: string, pieces: readonly FoundBy[]): readonly FoundBy[] {
  if (pieces.length === 0) return pieces;
  /** For each UTF-16 unit, the character that it belongs to. */
  const characterAt: number[] = [];
  let characters = 0;
  for (const character of text) {
    for (let unit = 0; unit < character.length; unit += 1) characterAt.push(characters);
    characters += 1;
  }
  return pieces.map(({ start, end, ...piece }) => ({
    ...piece,
    start: characterAt[start] ?? characters,
    end: (characterAt[end - 1] ?? characters - 1) + 1,
  }));
}
