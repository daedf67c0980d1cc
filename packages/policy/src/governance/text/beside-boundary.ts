import { literalOf } from './pattern-literal.ts';
import { type Branch, ESCAPE, type PatternPart, type PatternTree } from './pattern-tree.ts';

/** The kinds of characters that can be beside a `\b`, as a set of bits. */
export type Beside = number;
/** A letter, digit or mark outside ASCII that the pattern names. Beside it, `\b` always holds. */
export const OUTSIDE_ASCII = 1;
/** Any other character, or an end of the text. Beside it, `\b` has its ASCII meaning. */
export const OTHER = 2;
export const BOTH = OUTSIDE_ASCII | OTHER;

/** The end of a part that is examined. */
export type End = 'first' | 'last';
type Ends = { readonly beside: Beside; readonly canBeEmpty: boolean };

/** Returns the kinds of characters at one end of the branch, with those of `beyond` if the branch can be empty. */
export function endOfBranch(branch: Branch, end: End, beyond: Beside): Beside {
  const { beside, canBeEmpty } = endsOf(branch, end);
  return canBeEmpty ? beside | beyond : beside;
}

export function endOfTree(tree: PatternTree, end: End, beyond: Beside): Beside {
  return tree.reduce((beside, branch) => beside | endOfBranch(branch, end, beyond), 0);
}

function endsOf(branch: Branch, end: End): Ends {
  let beside = 0;
  for (const part of end === 'first' ? branch : branch.toReversed()) {
    if (part.is === 'anchor' || part.is === 'boundary') continue;
    const { beside: here, canBeEmpty } = endsOfPart(part, end);
    beside |= here;
    if (!canBeEmpty && part.repeat.least > 0) return { beside, canBeEmpty: false };
  }
  return { beside, canBeEmpty: true };
}

function endsOfPart(part: PatternPart & { is: 'character' | 'group' }, end: End): Ends {
  if (part.is === 'character') return { beside: besideCharacter(part.source), canBeEmpty: false };
  const ends = part.branches.map((branch) => endsOf(branch, end));
  return {
    beside: ends.reduce((all, { beside }) => all | beside, 0),
    canBeEmpty: ends.some(({ canBeEmpty }) => canBeEmpty),
  };
}

const MEMBER = new RegExp(String.raw`${ESCAPE}|[\s\S]`, 'gu');

function besideCharacter(source: string): Beside {
  if (source.startsWith('[^')) return OTHER;
  if (!source.startsWith('[')) return besideRanges([[source, source]]);
  return besideRanges(rangesOf(source.slice(1, -1).match(MEMBER) ?? []));
}

function rangesOf(members: readonly string[]): (readonly [from: string, to: string])[] {
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? '';
    const to = members[at + 1] === '-' ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return ranges;
}

/** A range outside ASCII counts as letters if it has a letter, even if it has symbols, such as ゛ in Hiragana. */
function besideRanges(ranges: readonly (readonly [from: string, to: string])[]): Beside {
  let beside = 0;
  for (const [from, to] of ranges) {
    const first = codePointOf(from);
    if (SCRIPT_OUTSIDE_ASCII.test(from)) beside |= OUTSIDE_ASCII;
    else if (first === null) beside |= OTHER;
    else {
      if (first < 0x80) beside |= OTHER;
      if (hasLetterOutsideAscii(first, codePointOf(to) ?? first)) beside |= OUTSIDE_ASCII;
    }
  }
  return beside === 0 ? OTHER : beside;
}

const LETTER_DIGIT_OR_MARK = /^[\p{L}\p{N}\p{M}]$/u;
const SCRIPT_OUTSIDE_ASCII = /^\\p\{(?:Script|sc)=(?!Latin|Latn|Common|Zyyy|Inherited|Zinh|Qaai)/;
/** The maximum number of characters of a range that are examined. A longer range counts as letters. */
const MOST_OF_RANGE = 4_096;

function hasLetterOutsideAscii(first: number, last: number): boolean {
  const from = Math.max(first, 0x80);
  for (let code = from; code <= last; code += 1) {
    if (code - from > MOST_OF_RANGE || LETTER_DIGIT_OR_MARK.test(String.fromCodePoint(code))) return true;
  }
  return false;
}

/** Returns the code point of a character of a pattern. Null for a class. */
function codePointOf(source: string): number | null {
  return literalOf(source)?.codePointAt(0) ?? null;
}
