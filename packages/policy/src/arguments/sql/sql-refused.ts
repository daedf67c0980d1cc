/** Thrown if a text is not one statement that is known to only read. The message completes the phrase "without …". */
export class SqlRefused extends Error {
  /** @param at the position in the text, in UTF-16 units from 0 */
  constructor(what: string, at: number) {
    super(`${what} (at character ${at + 1})`);
  }
}
