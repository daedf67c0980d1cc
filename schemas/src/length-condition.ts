/**
 * The conditions of save rules: `message_length > 50 and response_length < 9`. A condition is parsed into comparisons.
 * It is never run as code.
 */

const LENGTHS = ['message_length', 'response_length'] as const;
type LengthName = (typeof LENGTHS)[number];

const OPERATORS = {
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
} as const;
type Operator = keyof typeof OPERATORS;

/** `join` says how the comparisons are joined. It has no effect on a single comparison. */
export type LengthCondition = {
  join: 'and' | 'or';
  comparisons: readonly { name: LengthName; op: Operator; than: number }[];
};

export type LengthConditionRead = { ok: true; condition: LengthCondition } | { ok: false; message: string };

const LONGEST = 1_000;
const WHOLE = /^\d{1,15}$/;
/** An operator, or a run of characters without blanks and operators. */
const TOKEN = /\s*([<>=!]+|[^\s<>=!]+)/y;

export function readLengthCondition(value: unknown): LengthConditionRead {
  if (typeof value !== 'string') return refuse('must be a text such as "message_length > 50"');
  if (value.length > LONGEST) return refuse(`must have at most ${LONGEST} characters`);
  const tokens = tokensIn(value);
  const comparisons: LengthCondition['comparisons'][number][] = [];
  let join: LengthCondition['join'] | null = null;
  for (let at = 0; ; at += 4) {
    const [name, op, than, joiner] = tokens.slice(at, at + 4);
    if (!isLengthName(name))
      return refuse(`must compare ${LENGTHS.join(' or ')}, as in "message_length > 50", ${found(name)}`);
    if (!isOperator(op))
      return refuse(`must have one of ${Object.keys(OPERATORS).join(' ')} after ${name}, ${found(op)}`);
    if (than === undefined || !WHOLE.test(than))
      return refuse(`must have a whole number after "${name} ${op}", ${found(than)}`);
    comparisons.push({ name, op, than: Number(than) });
    if (joiner === undefined) return { ok: true, condition: { join: join ?? 'and', comparisons } };
    if (joiner !== 'and' && joiner !== 'or')
      return refuse(`must join comparisons by "and" or by "or", ${found(joiner)}`);
    if (join !== null && join !== joiner)
      return refuse('must not mix "and" with "or": write all comparisons with one of the two');
    join = joiner;
  }
}

/** @param lengths the lengths in characters (Unicode code points) of the texts as they came */
export function lengthConditionHolds(
  { join, comparisons }: LengthCondition,
  lengths: Readonly<Record<LengthName, number>>,
): boolean {
  const holds = ({ name, op, than }: LengthCondition['comparisons'][number]) =>
    OPERATORS[op](lengths[name], than);
  return join === 'and' ? comparisons.every(holds) : comparisons.some(holds);
}

function tokensIn(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(TOKEN, 'yg'))].map(([, token = '']) => token);
}

function isLengthName(token: string | undefined): token is LengthName {
  return LENGTHS.some((name) => name === token);
}

function isOperator(token: string | undefined): token is Operator {
  return token !== undefined && Object.hasOwn(OPERATORS, token);
}

function found(token: string | undefined): string {
  return token === undefined ? 'but it ends there' : `not ${JSON.stringify(token.slice(0, 40))}`;
}

function refuse(message: string): LengthConditionRead {
  return { ok: false, message };
}
