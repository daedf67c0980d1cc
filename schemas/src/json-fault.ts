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

/** Where something stands in a text: both count from 1, and a column is a UTF-16 unit. */
export type TextPlace = { line: number; column: number };

/** Line and column of an offset in a text. For several of one text take `placesIn`. */
export function placeOf(text: string, offset: number): TextPlace {
  return placesIn(text)(offset);
}

/** Line and column of offsets in a text, which is read through once for all of them. */
export function placesIn(text: string): (offset: number) => TextPlace {
  const starts = [0];
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === LINE_FEED) starts.push(at + 1);
  return (offset) => {
    let [line, behind] = [0, starts.length];
    while (behind - line > 1) {
      const middle = (line + behind) >>> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle;
      else behind = middle;
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

const LINE_FEED = 0x0a;

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
