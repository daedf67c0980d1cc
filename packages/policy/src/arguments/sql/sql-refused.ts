/** A text is not one statement that is known to only read. The message reads on from "without". */
export class SqlRefused extends Error {
  /** @param at where in the text, counted in UTF-16 units from 0 */
  constructor(what: string, at: number) {
    super(`${what} (at character ${at + 1})`);
  }
}
