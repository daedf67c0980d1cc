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

/**
 * Line and column of offsets in a text, which is read through once for all of them. Kept is what holds at the beginning of
 * each block: a text of line breaks alone would take a hundred times as much to keep every line of it.
 */
export function placesIn(text: string): (offset: number) => TextPlace {
  const blocks: { line: number; lineStart: number }[] = [];
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at % BLOCK_UNITS === 0) blocks.push({ line, lineStart });
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line++;
    lineStart = at + 1;
  }
  return (offset) => {
    const block = Math.floor(offset / BLOCK_UNITS);
    let { line, lineStart } = blocks[block] ?? { line: 1, lineStart: 0 };
    for (let at = block * BLOCK_UNITS; at < offset; at++) {
      if (text.charCodeAt(at) !== LINE_FEED) continue;
      line++;
      lineStart = at + 1;
    }
    return { line, column: offset - lineStart + 1 };
  };
}

const LINE_FEED = 0x0a;
const BLOCK_UNITS = 4_096;

/** A key as a step of a JSON pointer (RFC 6901). */
export function pointerStep(key: PropertyKey): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The keys in a JSON pointer (RFC 6901). */
export function keysIn(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
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
