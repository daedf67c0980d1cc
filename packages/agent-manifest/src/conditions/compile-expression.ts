/**
 * Parses and checks an expression. The most recent expressions are cached, because a workflow evaluates the same
 * expressions again.
 */
import { parse } from '@bufbuild/cel';
import { type RecentlyUsed, recentlyUsed } from '@mandate/policy/parts';
import { checkedExpression, ExpressionFault } from './checked-expression.ts';
import type { Expression } from './expression.ts';
import { LARGEST_PATTERNS } from './linear-match.ts';

/** The maximum length of an expression, in code points. */
const LONGEST = 1_000;
/**
 * The maximum number of opening brackets, including those inside texts. The parser's time grows with the square of
 * their depth.
 */
const MOST_BRACKETS = 100;
const KEPT = 200;

export type Compiled =
  | {
      readonly expression: Expression;
      /** The maximum size of all patterns of the expression together. */
      readonly patternSize: number;
    }
  | { readonly fault: string };

const compiled: RecentlyUsed<Compiled> = recentlyUsed(KEPT);

export function compileExpression(text: string): Compiled {
  if (text.length > 2 * LONGEST || [...text].length > LONGEST) {
    return { fault: `the expression is longer than ${LONGEST} characters` };
  }
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compile(text);
  compiled.set(text, made);
  return made;
}

function compile(text: string): Compiled {
  if (text.trim() === '') return { fault: 'the expression is empty' };
  if ((text.match(/[([{]/g)?.length ?? 0) > MOST_BRACKETS) {
    return { fault: `the expression has more than ${MOST_BRACKETS} brackets` };
  }
  try {
    const patterns = { left: LARGEST_PATTERNS };
    const expression = checkedExpression(parse(text).expr, patterns);
    return { expression, patternSize: LARGEST_PATTERNS - patterns.left };
  } catch (error) {
    if (error instanceof ExpressionFault) return { fault: error.message };
    // The parser throws plain errors for syntax, and a RangeError for nesting that is too deep.
    if (error instanceof Error) return { fault: `the expression is no CEL: ${error.message.slice(0, 300)}` };
    throw error;
  }
}
