import { CAPS } from '@mandate/schemas/core';
import type { StepBudget } from '../step-budget.ts';
import { PatternRefused } from './pattern-to-re2.ts';

/** The most repeats that the RE2 engine accepts. For nested repeats, the product of their numbers counts. */
const MOST_REPEATS = 1_000;
/**
 * The size of a Unicode script or category, in steps. The size is large because the engine uses a table of hundreds
 * of ranges.
 */
const OF_UNICODE = 32;

/** A part of a pattern: its size in steps, and how often its content is repeated. */
type Part = { size: number; repeats: number };

const NOTHING: Part = { size: 0, repeats: 1 };
const TOKEN = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\.|\(\?<[^>]*>|\(\?:|\{\d+(?:,\d*)?\}\??|[*+?]\??|[^\\]/suy;

/**
 * Returns the most instructions that a pattern can take when its repeats are written out. The pattern is not
 * compiled. For each character of a text, the automaton takes at most this number of steps.
 *
 * The result is the same in every process and version, because refusals depend on it. The engine's own count can
 * differ between versions.
 *
 * @param pattern must be a valid pattern
 * @throws PatternRefused if the product of its repeats exceeds the engine's limit
 */
export function patternSize(pattern: string): number {
  /** For each enclosing group, the part of the pattern before the group. The outermost group comes first. */
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
  // Every pattern takes 4 more instructions: begin, fail, match, and the loop that lets a match begin anywhere.
  return before.size + last.size + 4;
}

/** The end of an error message. The name of the document or schema comes before it. */
export const PATTERNS_TOO_LARGE = `has patterns of more than ${CAPS.patternSize} steps together, their repeats written out: write fewer repeats`;

/** The remaining limits for parts of documents that are slow to compile. All documents of one request share them. */
export type Room = {
  /** The total size that the next patterns may have. */
  patterns: StepBudget;
  /** The number of objects that the next schemas of arguments may have. */
  schemaParts: StepBudget;
};

/** Returns the limits for one document, or for all documents of one request together. */
export function roomToWrite(): Room {
  return { patterns: { left: CAPS.patternSize }, schemaParts: { left: CAPS.schemaParts } };
}

/** Returns unlimited room, for documents that are already on the log and for Mandate's own patterns. */
export function endlessRoom(): StepBudget {
  return { left: Number.POSITIVE_INFINITY };
}

function repeated(pattern: string, { size, repeats }: Part, token: string): Part {
  const [least = '0', most = least] = token.match(/\d+/g) ?? [];
  const times = Math.max(Number(least), Number(most));
  if (times * repeats > MOST_REPEATS) throw new PatternRefused(pattern, 'its repeat count is too large');
  return { size: (size + 1) * Math.max(times, 1) + 1, repeats: Math.max(times, 1) * repeats };
}

/**
 * Returns the size of a character class, and moves the tokenizer to the end of the class. A class contains no
 * repeats, and a bracket in it is a plain character.
 */
function classSize(pattern: string): number {
  const from = TOKEN.lastIndex;
  let size = 1;
  for (let token = TOKEN.exec(pattern)?.[0]; token !== undefined && token !== ']'; ) {
    if (/^\\[pP]/.test(token)) size += OF_UNICODE;
    token = TOKEN.exec(pattern)?.[0];
  }
  return size + Math.floor((TOKEN.lastIndex - from) / 8);
}
