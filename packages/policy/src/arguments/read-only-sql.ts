import { consume } from '../step-budget.ts';
import { describeSeen } from './argument-fault.ts';
import { pointerTo } from './every-string.ts';
import { FIELD_NAMES, stringsOfFields, stringsOfValues } from './judged-strings.ts';
import type { NamedValidator } from './named-validator.ts';
import { EVERY_DIALECT, SQL_DIALECTS } from './sql/dialects.ts';
import { whyNotReadOnly } from './sql/reading-statement.ts';

/** Extra steps for each character, besides reading it: the grammar may look at each character as one token. */
const OF_CHARACTER = 24;

/**
 * Accepts one SQL statement if it is known to only read. This is a second line of defence; the first is a database
 * role that may only read. The validator cannot see side effects behind a harmless name, such as a view that calls a
 * function.
 *
 * - If `fields` is given, it checks every string in fields with these names; otherwise every string of the arguments.
 * - If `dialect` is given, it reads the text as that database does, and knows its functions. Otherwise it refuses
 *   everything that databases read in different ways, and knows only the functions that all of them have.
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
