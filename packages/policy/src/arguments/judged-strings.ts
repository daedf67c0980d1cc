import type { Effort } from '../effort.ts';
import { comparableName } from '../redaction/secret-names.ts';
import { everyString, type FoundString, fieldsAround } from './every-string.ts';

/** The JSON Schema of the names of fields in a validator's parameters. */
export const FIELD_NAMES = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 200 },
} as const;

/** Finds the strings that a validator judges. */
export type JudgedStrings = (args: unknown, effort: Effort) => readonly FoundString[];

/**
 * The strings that fields of these names hold, at any depth: as values, and as the names of fields within them. Names compare
 * without case, `_`, `-`, `.` and blanks.
 *
 * @param fields what a document says under `fields`; undefined when it says nothing, which makes it `otherwise`
 */
export function stringsOfFields(fields: unknown, otherwise: JudgedStrings): JudgedStrings {
  if (!Array.isArray(fields)) return otherwise;
  const named = new Set(fields.map((name) => comparableName(String(name))));
  const isJudged = (found: FoundString) => {
    const around = fieldsAround(found);
    const outer = found.isName ? around.slice(0, -1) : around;
    return outer.some((name) => named.has(comparableName(name)));
  };
  return (args, effort) => everyString(args, effort).filter(isJudged);
}

/** Every string but the names of the arguments themselves, which the tool knows and the agent does not choose. */
export const stringsOfValues: JudgedStrings = (args, effort) =>
  everyString(args, effort).filter((found) => !found.isName || fieldsAround(found).length > 1);
