/**
 * Text as a cell of CSV. A spreadsheet takes a cell for a formula by its first sign. Many spreadsheets split a line at `;`, at
 * a tab or at a line break, and some split inside quotes too. So an apostrophe goes before each sign that would begin a
 * formula in any such part. docs/operations.md says how to remove the apostrophes: no text is lost.
 *
 * Source of the signs: OWASP, "CSV Injection". The small and the full-width forms are added, because some spreadsheets take
 * them for the plain signs.
 */

/** A spreadsheet may split a line at these. */
const SEPARATORS = new Set(';,|\t\r\n\v\f');
/** A reader may drop these before a sign: blanks, quotes, NUL, the no-break space and the byte order mark. */
const DROPPED = new Set(' "\t\r\n\v\f\0\u00a0\ufeff');
const SIGNS = new Set('=+-@＝＋－＠﹦﹢﹣﹫');
/** Some spreadsheets drop one of these at the beginning of a cell. */
const LEADING = new Set('\t\r\n');

/**
 * The places of the apostrophes, as a regular expression of RE2, in which ClickHouse searches: each apostrophe goes between
 * `\1` and `\2`. RE2 finds all places in one pass.
 */
export const CSV_FORMULA = `((?:^|[${classOf(SEPARATORS)}])[${classOf(DROPPED)}]*'*)([${classOf(SIGNS)}])`;
/** One more apostrophe goes before a cell that this matches. */
export const CSV_LEADING = `^'*[${classOf(LEADING)}]`;

/** The characters as RE2 reads them inside `[` and `]`. */
function classOf(characters: ReadonlySet<string>): string {
  const hex = (character: string) => (character.codePointAt(0) as number).toString(16);
  return [...characters].map((character) => `\\x{${hex(character)}}`).join('');
}

/** Returns the text with its apostrophes. Quoting for CSV comes after this step. */
export function csvText(text: string): string {
  let cell = '';
  let from = 0;
  let place: 'begins' | 'guarded' | 'within' = 'begins';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (place !== 'within' && SIGNS.has(character)) {
      cell += `${text.slice(from, at)}'`;
      from = at;
    }
    if (SEPARATORS.has(character)) place = 'begins';
    else if (character === "'" && place !== 'within') place = 'guarded';
    else if (place !== 'begins' || !DROPPED.has(character)) place = 'within';
  }
  cell += text.slice(from);
  return /^'*[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
