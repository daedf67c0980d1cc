/** A fault in a text that should be JSON: what is wrong, where it is, and how to fix it. */
export class JsonFault extends Error {
  /** The place of the fault in UTF-16 units, counted from 0. */
  readonly offset: number;
  readonly remedy: string;

  constructor(message: string, offset: number, remedy: string) {
    super(message);
    this.name = 'JsonFault';
    this.offset = offset;
    this.remedy = remedy;
  }
}

/** The remedy for any text that ends too early. */
export const COMPLETE_IT = 'send the whole JSON text: it ends too early';

/** A place in a text. Line and column count from 1, and a column is a UTF-16 unit. */
export type TextPlace = { line: number; column: number };

/** Returns line and column of an offset in a text. For several offsets of one text use `placesIn`. */
export function placeOf(text: string, offset: number): TextPlace {
  return placesIn(text)(offset);
}

/**
 * Returns a function from offset to line and column. The text is read once for all offsets. The line and column are
 * stored only for the beginning of each block. For a text full of line breaks, storing every line would take a
 * hundred times the memory.
 */
export function placesIn(text: string): (offset: number) => TextPlace {
  const blocks: { line: number; lineStart: number }[] = [];
  let line = 1;
  let lineStart = 0;
  let next = -1;
  for (let start = 0; start <= text.length; start += BLOCK_UNITS) {
    blocks.push({ line, lineStart });
    // Searching is much faster than reading, so a long line costs little.
    if (next < start) next = firstLineFeed(text, start);
    const end = Math.min(start + BLOCK_UNITS, text.length);
    for (let at = next; at < end; at++) {
      if (text.charCodeAt(at) !== LINE_FEED) continue;
      line++;
      lineStart = at + 1;
    }
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

/** Returns the offset of the first line feed from `start` on. Infinity if there is none. */
function firstLineFeed(text: string, start: number): number {
  const at = text.indexOf('\n', start);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

const LINE_FEED = 0x0a;
const BLOCK_UNITS = 4_096;

/** Returns a key as a step of a JSON pointer (RFC 6901). */
export function pointerStep(key: PropertyKey): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the keys of a JSON pointer (RFC 6901). */
export function keysIn(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const SHOWN_UNITS = 60;

const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns a text from outside in a form that a message can contain: in quotes, cut if it is long, and without
 * characters that would break a log line or control a terminal.
 */
export function legible(text: string): string {
  const shown = text.length > SHOWN_UNITS ? `${text.slice(0, SHOWN_UNITS)}…` : text;
  return JSON.stringify(shown).replace(UNSEEN, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`);
}
