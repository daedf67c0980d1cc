/**
 * Writes a text as a cell of CSV. A spreadsheet reads a cell as a formula if the cell begins with one of `SIGNS`.
 * Many spreadsheets split a line at `;`, at a tab or at a line break, and some split inside quotes too. So an
 * apostrophe is put before each sign that would begin a formula in any such part. docs/operations.md says how to
 * remove the apostrophes, so no text is lost.
 *
 * Source of the signs: OWASP, "CSV Injection". The small and the full-width forms are added, because some
 * spreadsheets read them as the plain signs.
 */

/** Characters at which a spreadsheet may split a line. */
const SEPARATORS = new Set(';,|\t\r\n\v\f');
/**
 * Characters that a spreadsheet may ignore before a sign: blanks, quotes, NUL, the no-break space and the byte order
 * mark.
 */
const DROPPED = new Set(' "\t\r\n\v\f\0\u00a0\ufeff');
const SIGNS = new Set('=+-@＝＋－＠﹦﹢﹣﹫');
/** Characters that some spreadsheets ignore at the beginning of a cell. */
const LEADING = new Set('\t\r\n');

/**
 * A regular expression that finds where apostrophes must be inserted: each apostrophe comes between the groups `\1`
 * and `\2`. It is written for RE2, the engine of ClickHouse. RE2 finds all matches in one pass.
 */
export const CSV_FORMULA = `((?:^|[${classOf(SEPARATORS)}])[${classOf(DROPPED)}]*'*)([${classOf(SIGNS)}])`;
/** If a cell matches this regular expression, one more apostrophe is put before the cell. */
export const CSV_LEADING = `^'*[${classOf(LEADING)}]`;

/** Returns the characters in the form that RE2 reads inside `[` and `]`. */
function classOf(characters: ReadonlySet<string>): string {
  const hex = (character: string) => (character.codePointAt(0) as number).toString(16);
  return [...characters].map((character) => `\\x{${hex(character)}}`).join('');
}

/** Returns the text with its apostrophes. Quoting for CSV must be done after this step. */
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
