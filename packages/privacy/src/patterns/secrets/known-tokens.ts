/**
 * Finds credentials that contain a vendor's mark. One pass over the text finds every mark, and then the form of the
 * mark is tested.
 */
import type { Finder, Span } from '../piece.ts';
import { TOKEN_FORMS, type TokenForm } from './token-forms.ts';
import { endOfToken, NO_WORD_BEFORE_VALUE, startOfToken } from './whole-value.ts';

/** The longest mark comes first, because at each place the first mark that fits is found. */
const MARKS = [...new Set(TOKEN_FORMS.map(({ mark }) => mark))].sort((a, b) => b.length - a.length);
const ANY_MARK = new RegExp(MARKS.map(escaped).join('|'), 'g');

/** Maps each mark to its own forms, and to the forms of shorter marks that are the beginning of this mark. */
const FORMS: ReadonlyMap<string, readonly RegExp[]> = new Map(
  MARKS.map((met) => [met, TOKEN_FORMS.filter(({ mark }) => met.startsWith(mark)).map(patternOf)]),
);

export const findKnownTokens: Finder = (text) => {
  const found: Span[] = [];
  ANY_MARK.lastIndex = 0;
  for (let met = ANY_MARK.exec(text); met !== null; met = ANY_MARK.exec(text)) {
    const span = tokenAt(text, met.index, FORMS.get(met[0]) ?? []);
    if (span !== null) found.push(span);
    ANY_MARK.lastIndex = span?.end ?? met.index + 1;
  }
  return found;
};

function tokenAt(text: string, at: number, forms: readonly RegExp[]): Span | null {
  for (const form of forms) {
    form.lastIndex = at;
    const match = form.exec(text);
    if (match !== null) {
      const { before } = match.groups ?? {};
      const start = before === undefined ? at : startOfToken(text, at - before.length);
      return { start, end: endOfToken(text, form.lastIndex) };
    }
  }
  return null;
}

/**
 * Returns the pattern of a mark. A short mark, or a mark that ends with a letter, counts only at the beginning of a
 * word. A mark like `ghp_` counts anywhere.
 */
function patternOf({ mark, rest, before }: TokenForm): RegExp {
  const beginning =
    before !== undefined
      ? `(?<=(?<before>${before}))`
      : mark.length < 4 || /\w$/.test(mark.replace(/_$/, '-'))
        ? NO_WORD_BEFORE_VALUE
        : '';
  return new RegExp(`${beginning}${escaped(mark)}${rest}`, 'y');
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
