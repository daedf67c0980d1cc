/** Where something was found in a text: from `start` to before `end`, in UTF-16 units. */
export type Span = { readonly start: number; readonly end: number };

/** Finds its kind of thing in a text, in time linear in the text. */
export type Finder = (text: string) => Span[];

/**
 * Stands in the place of what is hidden already while the rest of the text is looked at. No finder takes it into what it
 * finds, and each takes it for a letter: what a letter beside it kept from being found is not found later either, when
 * that letter is hidden.
 */
export const MASK = '\uE000';

/** Not within a word, for the start of a pattern and for its end. */
export const NO_WORD_BEFORE = `(?<![\\w${MASK}])`;
export const NO_WORD_AFTER = `(?![\\w${MASK}])`;

export function spanOf({ index, 0: found }: RegExpExecArray): Span {
  return { start: index, end: index + found.length };
}
