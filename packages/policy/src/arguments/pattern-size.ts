import { CAPS } from '@mandate/schemas/core';
import type { Effort } from '../effort.ts';
import { PatternRefused } from './pattern-to-re2.ts';

/** What the engine takes: a repeat of a repeat counts as often as both together. */
const MOST_REPEATS = 1_000;
/** What stands for a whole script or category of Unicode is a table of hundreds of ranges. */
const OF_UNICODE = 32;

/** A part of a pattern: how many steps it has, and how often its content is repeated. */
type Part = { size: number; repeats: number };

const NOTHING: Part = { size: 0, repeats: 1 };
const TOKEN = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\.|\(\?<[^>]*>|\(\?:|\{\d+(?:,\d*)?\}\??|[*+?]\??|[^\\]/suy;

/**
 * How many instructions a pattern takes at most, without compiling it: its repeats are written out there. A character of a
 * text may be looked at by as many.
 *
 * It never changes and is the same for everyone, unlike the engine's own count: refusals follow from it.
 *
 * @param pattern that parses
 * @throws PatternRefused where its repeats multiply beyond what the engine takes
 */
export function patternSize(pattern: string): number {
  /** Groups around, each with what stands before it. */
  const around: Part[] = [];
  let before: Part = { ...NOTHING };
  let last = NOTHING;
  const take = (part: Part) => {
    before = { size: before.size + last.size, repeats: Math.max(before.repeats, last.repeats) };
    last = part;
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(pattern)?.[0]; token !== undefined; token = TOKEN.exec(pattern)?.[0]) {
    const [first] = token;
    if (first === '(') {
      take(NOTHING);
      around.push(before);
      before = { ...NOTHING };
    } else if (first === ')') {
      take(NOTHING);
      const group = { size: before.size + 2, repeats: before.repeats };
      before = around.pop() ?? { ...NOTHING };
      last = group;
    } else if (first === '[') take({ size: classSize(pattern), repeats: 1 });
    else if (first === '{') last = repeated(pattern, last, token);
    else if (first === '*' || first === '+' || first === '?') last = { ...last, size: last.size + 1 };
    else take({ size: /^\\[pP]/.test(token) ? OF_UNICODE : 1, repeats: 1 });
  }
  // It begins, fails and matches, and may begin anywhere.
  return before.size + last.size + 4;
}

/** To follow the name of what holds them. */
export const PATTERNS_TOO_LARGE = `has patterns of more than ${CAPS.patternSize} steps together, their repeats written out: write fewer repeats`;

/** The limits for the documents of one request on parts that are slow to compile. */
export type Room = {
  /** The total size of patterns. */
  patterns: Effort;
  /** The number of objects in schemas of arguments. */
  schemaParts: Effort;
};

/** The room of one document, or of all documents of one request. */
export function roomToWrite(): Room {
  return { patterns: { left: CAPS.patternSize }, schemaParts: { left: CAPS.schemaParts } };
}

/** The room of documents that are on the log, and of our own patterns. */
export function endlessRoom(): Effort {
  return { left: Number.POSITIVE_INFINITY };
}

function repeated(pattern: string, { size, repeats }: Part, token: string): Part {
  const [least = '0', most = least] = token.match(/\d+/g) ?? [];
  const times = Math.max(Number(least), Number(most));
  if (times * repeats > MOST_REPEATS) throw new PatternRefused(pattern, 'its repeat count is too large');
  return { size: (size + 1) * Math.max(times, 1) + 1, repeats: Math.max(times, 1) * repeats };
}

/** Goes on behind the class: in it nothing repeats, and a bracket means itself. */
function classSize(pattern: string): number {
  const from = TOKEN.lastIndex;
  let size = 1;
  for (let token = TOKEN.exec(pattern)?.[0]; token !== undefined && token !== ']'; ) {
    if (/^\\[pP]/.test(token)) size += OF_UNICODE;
    token = TOKEN.exec(pattern)?.[0];
  }
  return size + Math.floor((TOKEN.lastIndex - from) / 8);
}
