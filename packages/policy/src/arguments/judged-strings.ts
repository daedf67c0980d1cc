import { comparableName } from '../redaction/secret-names.ts';
import type { StepBudget } from '../step-budget.ts';
import { everyString, type FoundString, fieldsAround } from './every-string.ts';

/** The JSON Schema of the field names in a validator's parameters. */
export const FIELD_NAMES = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 200 },
} as const;

/** Finds the strings that a validator must check. */
export type JudgedStrings = (args: unknown, stepBudget: StepBudget) => readonly FoundString[];

/**
 * Finds the strings in fields with these names, at any depth: values, and names of fields inside them. Names are
 * compared without case, `_`, `-`, `.` and blanks.
 *
 * @param fields the `fields` of the document; if undefined, the result is `otherwise`
 * @returns a function that throws TextDigested if it finds a digest in place of a text
 */
export function stringsOfFields(fields: unknown, otherwise: JudgedStrings): JudgedStrings {
  const judged = Array.isArray(fields) ? stringsInFields(fields) : otherwise;
  return (args, stepBudget) => {
    const found = judged(args, stepBudget);
    const unread = found.find(({ isDigested }) => isDigested);
    if (unread !== undefined) throw new TextDigested(unread);
    return found;
  };
}

/** Thrown if a validator must check a text, and the arguments contain only a digest of it. */
export class TextDigested extends Error {
  readonly found: FoundString;

  constructor(found: FoundString) {
    super('the arguments contain only a digest of this text');
    this.found = found;
  }
}

function stringsInFields(fields: readonly unknown[]): JudgedStrings {
  const named = new Set(fields.map((name) => comparableName(String(name))));
  const isJudged = (found: FoundString) => {
    const around = fieldsAround(found);
    const outer = found.isName ? around.slice(0, -1) : around;
    return outer.some((name) => named.has(comparableName(name)));
  };
  return (args, stepBudget) => everyString(args, stepBudget).filter(isJudged);
}

/**
 * Finds every string except the names of the arguments. The agent cannot choose these names, because the tool defines
 * them.
 */
export const stringsOfValues: JudgedStrings = (args, stepBudget) =>
  everyString(args, stepBudget).filter((found) => !found.isName || fieldsAround(found).length > 1);
