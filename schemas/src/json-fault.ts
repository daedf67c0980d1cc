/** What is wrong with a text that should have been JSON, where, and what to do about it. */
export class JsonFault extends Error {
  /** In UTF-16 units from 0. */
  readonly offset: number;
  readonly remedy: string;

  constructor(message: string, offset: number, remedy: string) {
    super(message);
    this.name = 'JsonFault';
    this.offset = offset;
    this.remedy = remedy;
  }
}

/** The remedy for every text that ends too early. */
export const COMPLETE_IT = 'send the whole JSON text: it ends too early';

/** Line and column of an offset in a text, both from 1; a column is a UTF-16 unit. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  let line = 1;
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++;
  return { line, column: offset - lastBreak };
}

/** A key as a step of a JSON pointer (RFC 6901). */
export function pointerStep(key: PropertyKey): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const SHOWN_UNITS = 60;

const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A piece of what came from outside, as a message can carry it: in quotes, cut when long, and nothing in it that would
 * break a line of a log or steer a terminal.
 */
export function legible(text: string): string {
  const shown = text.length > SHOWN_UNITS ? `${text.slice(0, SHOWN_UNITS)}…` : text;
  return JSON.stringify(shown).replace(UNSEEN, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`);
}
