/** Reads a value to its real end: the end of its quotes, its line or its block, or the beginning of the next name. */
import { MASK } from '../piece.ts';
import { CONTINUED, endOf } from './whole-value.ts';

export type AssignedValue = {
  readonly start: number;
  readonly end: number;
  readonly form: 'quoted' | 'block' | 'bare';
};

/** How a value without quotes ends: at the end of the word, or at the end of the line. */
export type Ends = 'word' | 'line';

type Around = {
  /** The index at which the line of the name begins. */
  readonly line: number;
  readonly ends: Ends;
  /** The quotes that enclose both the name and the value. */
  readonly quotes?: string | undefined;
};

const OPENING = /(\\*)("""|'''|["'`])/y;
/** The start of a YAML block, with lines that are indented further. */
const BLOCK = /[|>][+-]?\d?[ \t]*\r?\n/y;

export function assignedValue(text: string, at: number, around: Around): AssignedValue | null {
  const inBlock = endOf(BLOCK, text, at);
  if (inBlock !== null) return blockAt(text, inBlock, around.line);
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return /[[{(]/.test(text[at] ?? '') ? null : bareValue(text, at, around);
  const start = at + opening[0].length;
  return { start, end: endOfJoined(text, start, opening), form: 'quoted' };
}

/** Returns the end of a value that consists of several quoted texts. Source code may join them to one value. */
function endOfJoined(text: string, start: number, opening: RegExpExecArray): number {
  const end = endOfQuoted(text, start, opening);
  const next = endOf(CONTINUED, text, end);
  return next === null ? end : endOfJoined(text, next, opening);
}

/**
 * Returns the end of a quoted value. It ends before the same quotes with the same number of escapes. Without such
 * quotes it ends with the text.
 */
function endOfQuoted(text: string, start: number, [, escapes = '', quotes = '']: RegExpExecArray): number {
  const period = 2 * escapes.length + 2;
  for (let at = text.indexOf(quotes, start); at >= 0; at = text.indexOf(quotes, at + 1)) {
    let before = 0;
    while (at - before > start && text[at - before - 1] === '\\') before += 1;
    if (before === escapes.length || (before > escapes.length && (before - escapes.length) % period === 0)) {
      return at - escapes.length;
    }
    // Quotes with fewer escapes end the text that contains the value.
    if (before < escapes.length) return at - before;
  }
  return text.length;
}

function blockAt(text: string, start: number, line: number): AssignedValue | null {
  const outer = indentAt(text, line);
  let end = start;
  while (end < text.length) {
    const newline = text.indexOf('\n', end);
    const next = newline < 0 ? text.length : newline + 1;
    if (text.slice(end, next).trim() !== '' && indentAt(text, end) <= outer) break;
    end = next;
  }
  return end === start ? null : { start, end, form: 'block' };
}

function indentAt(text: string, line: number): number {
  let at = line;
  while (text[at] === ' ' || text[at] === '\t' || (text[at] === '-' && text[at + 1] === ' ')) at += 1;
  return at - line;
}

const IN_LINE = new RegExp(`(?:[^\\r\\n\\\\${MASK}]|\\\\(?!r?n|u000[aAdD]))*`, 'y');
const IN_WORD = new RegExp(`(?:[^\\s"'\`<>\\\\${MASK}]|\\\\(?![nrt"'\`\\\\]|u00))*`, 'y');
/** Matches a comment at the end of a line. */
const COMMENT = /\s+(?:#|\/\/|--|;)(?:\s.*)?$/s;
/** Matches the start of another name with its value, or the end of the text that contains the value. */
const NEXT =
  /[&;][ \t]*(?=[\w.%-]{1,40}=|$|\s)|,(?=\s*["']?[\w-]{1,40}["']?\s*[:=]|\s|$)|[)\]}]+(?=[\s,;)\]}]|$)|[?](?=\s|$)/;
/** Matches characters that end a sentence, or that end the text around the value. */
const CLOSING = /[\s,;.:!?"'`)\]}>]+$/;

function bareValue(text: string, start: number, { ends, quotes }: Around): AssignedValue | null {
  const end = endOf(ends === 'line' ? IN_LINE : IN_WORD, text, start) ?? start;
  let value = text.slice(start, end);
  if (quotes !== undefined && value.includes(quotes)) value = value.slice(0, value.indexOf(quotes));
  if (ends === 'line') value = value.replace(COMMENT, '');
  else value = value.slice(0, NEXT.exec(value)?.index);
  value = value.replace(CLOSING, '');
  return value === '' ? null : { start, end: start + value.length, form: 'bare' };
}
