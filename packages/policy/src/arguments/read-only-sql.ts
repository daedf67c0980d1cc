import { takes } from '../effort.ts';
import { describeSeen } from './argument-fault.ts';
import { pointerTo } from './every-string.ts';
import { FIELD_NAMES, stringsOfFields, stringsOfValues } from './judged-strings.ts';
import type { NamedValidator } from './named-validator.ts';
import { EVERY_DIALECT, SQL_DIALECTS } from './sql/dialects.ts';
import { whyNotReadOnly } from './sql/reading-statement.ts';

/** What a character takes in steps beside its reading: each may be a token that the grammar looks at. */
const OF_CHARACTER = 24;

/**
 * Lets through one SQL statement that is known to only read. It is the second line: the first is a role that may only
 * read. What a harmless name hides, such as a view that calls a function, cannot be seen here.
 *
 * - With `fields` it judges every string in fields of these names; without, every string of the arguments.
 * - With `dialect` it reads the text as that database does, and knows its functions; without, it refuses what databases
 *   read in different ways, and knows only the functions that all of them have.
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
    return (args, effort) => {
      for (const found of judged(args, effort)) {
        if (!takes(effort, found.text.length * OF_CHARACTER)) return null;
        const refused = whyNotReadOnly(found.text, dialect);
        if (refused === null) continue;
        const expected = `one SQL statement that only reads, without ${refused}`;
        return { pointer: pointerTo(found), expected, seen: describeSeen(found.text), rule: 'readOnlySql' };
      }
      return null;
    };
  },
};
