import { consume } from '../step-budget.ts';
import { describeSeen } from './argument-fault.ts';
import { pointerTo } from './every-string.ts';
import { FIELD_NAMES, stringsOfFields, stringsOfValues } from './judged-strings.ts';
import type { NamedValidator } from './named-validator.ts';
import { EVERY_DIALECT, SQL_DIALECTS } from './sql/dialects.ts';
import { whyNotReadOnly } from './sql/reading-statement.ts';

/**
 * The cost of each character for this validator, in steps, in addition to reading it. It is high because the grammar
 * may look at each character as one token.
 */
const OF_CHARACTER = 24;

/**
 * Accepts a text only if it is one SQL statement that is known to only read. This is a second line of defence. The
 * first is a database role that may only read. The validator cannot see side effects of a harmless name, such as a
 * view that calls a function.
 *
 * - If `fields` is given, every string in fields with these names is checked; otherwise every string of the
 * arguments.
 * - If `dialect` is given, the text is read as that database reads it, with its functions. Otherwise everything that
 *   databases read in different ways is refused, and only functions of all databases are known.
 */
export const readOnlySql: NamedValidator = {
  describe:
    'one SQL statement that only reads: name the fields and the dialect, as in { readOnlySql: { fields: [statement], dialect: postgres } }',
  parameters: {
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    properties: { fields: FIELD_NAMES, dialect: { enum: [...SQL_DIALECTS.keys()] } },
  },
  parametersRequired: false,
  create(parameters) {
    const { fields, dialect: name } = (parameters ?? {}) as { fields?: unknown; dialect?: unknown };
    const judged = stringsOfFields(fields, stringsOfValues);
    const dialect = SQL_DIALECTS.get(String(name)) ?? EVERY_DIALECT;
    return (args, stepBudget) => {
      for (const found of judged(args, stepBudget)) {
        if (!consume(stepBudget, found.text.length * OF_CHARACTER)) return null;
        const refused = whyNotReadOnly(found.text, dialect);
        if (refused === null) continue;
        const expected = `one SQL statement that only reads, without ${refused}`;
        return { pointer: pointerTo(found), expected, seen: describeSeen(found.text), rule: 'readOnlySql' };
      }
      return null;
    };
  },
};
