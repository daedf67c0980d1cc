/** The position of a match in a text: from `start` to before `end`, in UTF-16 units. */
export type Span = { readonly start: number; readonly end: number };

/** Finds one kind of match in a text, in time linear in the text. */
export type Finder = (text: string) => Span[];

/**
 * Replaces pieces that are already redacted while the rest of the text is searched. No match contains this character,
 * and every finder treats it like a letter. So the redaction of a letter never makes the text beside it match.
 */
export const MASK = '\uE000';

/** Requires that a match does not begin inside a word. */
export const NO_WORD_BEFORE = `(?<![\\w${MASK}])`;
export const NO_WORD_AFTER = `(?![\\w${MASK}])`;

export function spanOf({ index, 0: found }: RegExpExecArray): Span {
  return { start: index, end: index + found.length };
}
