/** Mutations of the schemas and validators of arguments. */
import { inFile, type Mutation } from '../mutation.ts';

export const ARGUMENT_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/policy/src/arguments/linear-pattern.ts', [
    [
      '7 a pattern costs its size times the length of the text',
      'size * (text.length + COMPILING)',
      'text.length + COMPILING',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/schema/run.ts', [
    [
      '7 a schema costs the values that it looks at',
      'if (this.stepBudget.left < 0) throw new StepsExhausted();',
      '',
    ],
    [
      '7 unevaluatedProperties leaves out properties that a branch evaluated',
      'for (const name of other.#names) this.#names.add(name);',
      '',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/schema/combining-keywords.ts', [
    ['7 a failed branch has evaluated nothing', 'if (!check(value, run, own)) return false;\n', ''],
    ['7 every branch of anyOf reports its evaluated properties', 'if (seen === null) break;', 'break;'],
  ]),
  ...inFile('packages/policy/src/arguments/schema/multiple-of.ts', [
    ['7 multipleOf is exact for decimals', 'if (shift < 0) return false;', 'if (shift < 0) return true;'],
  ]),
  ...inFile('packages/policy/src/arguments/schema/check-schema.ts', [
    ['7 a limit without its type is refused', 'if (types === null) {', 'if (types === null && false) {'],
    [
      '7 an unknown keyword of a schema is refused',
      'const refused = refusedKeyword(name, this.#dialect);',
      'const refused = null;',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/schema/same-value.ts', [
    [
      '7 a schema that refers to itself without end is refused',
      'if (known === null) return this.#refuse(path, ENDLESS);',
      'if (known === null) return extent;',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/email-domains.ts', [
    [
      'emailDomains: recipients of a message inside a text are found',
      'if (message.length > 0) return',
      "if (message.length > 0 && field !== 'text') return",
    ],
    [
      'emailDomains: base64 is decoded',
      "[text, decoded ?? ''].flatMap(recipientsOfMessage)",
      '[text].flatMap(recipientsOfMessage)',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/mail/addresses-in-text.ts', [
    [
      'emailDomains: comments are no part of an address',
      '[text, plain, withoutComments(plain)]',
      '[text, plain]',
    ],
    [
      'emailDomains: encodings are undone',
      '[text, plain, withoutComments(plain)]',
      '[text, withoutComments(text)]',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/sql/operand.ts', [
    ['8 SQL: a function that is on no list is refused', '!isCallable(last.text, reader.dialect)', 'false'],
    ['8 SQL: a quoted function is refused', "last?.kind !== 'word' || ", 'last === undefined || '],
    [
      '8 SQL: a function that advances a sequence is refused',
      'second !== undefined && SEQUENCES',
      'false && SEQUENCES',
    ],
    [
      '8 SQL: a table after IN is refused for ClickHouse',
      'if (reader.dialect.inReadsTables) checkRelation',
      'if (false) checkRelation',
    ],
    ['8 SQL: only the name of a type may precede a literal', ' || !LITERAL_TYPES.has(word.text)', ''],
  ]),
  ...inFile('packages/policy/src/arguments/sql/from-clause.ts', [
    ['8 SQL: FROM calls only listed functions', '!reader.dialect.tableFunctions.has(name)', 'false'],
    [
      '8 SQL: a single table in parentheses has no alias',
      'name !== null && !takeFurtherTable',
      'false && !takeFurtherTable',
    ],
    [
      '8 SQL: an alias must be a plain name',
      "(alias?.kind === 'name' && isPlainName(alias))",
      "alias?.kind === 'name'",
    ],
  ]),
  ...inFile('packages/policy/src/arguments/sql/field-calls.ts', [
    [
      '8 SQL: a field that PostgreSQL calls is refused',
      'reader.dialect.fieldsCall && !FIELDS',
      'false && !FIELDS',
    ],
    [
      '8 SQL: a field of the row of a function is a column',
      'every((one) => hasColumn(one, field)) === false',
      'length === 0',
    ],
    [
      '8 SQL: names that PostgreSQL truncates are refused',
      '.length >= SHORTEST_CUT_NAME_BYTES',
      '.length < 0',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/sql/relation.ts', [
    ['8 SQL: a file in quotes is no table', "'name' && isPlainName(token)", "'name'"],
    ['8 SQL: a word that begins a query is no table', 'WRITING_WORDS, QUERY_WORDS]', 'WRITING_WORDS]'],
    ['8 SQL: only listed system tables are allowed', '(isOfSystem && !known.has(table)) || ', ''],
  ]),
  ...inFile('packages/policy/src/arguments/sql/tokens.ts', [
    [
      '8 SQL: a comment that MariaDB executes is refused',
      "throw new SqlRefused('a comment that some databases execute', at)",
      'return at + 2',
    ],
    ['8 SQL: `--` before U+00A0 is no comment everywhere', "dashes === 'before a blank' && ", 'false && '],
    [
      '8 SQL: a backslash before a quote is read in two ways',
      "isEscaped && backslash === 'differs'",
      'false',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/sql/reading-statement.ts', [
    [
      '8 SQL: a second statement is refused',
      "if (peek(reader) !== undefined) refuse(reader, hasEnd ? 'a second statement' : undefined);",
      '',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/judged-strings.ts', [
    [
      '8 every string is checked unless fields are named',
      '!found.isName || fieldsAround(found).length > 1',
      'fieldsAround(found).includes("sql")',
    ],
    [
      '8 names of fields inside a named field are checked',
      'found.isName ? around.slice(0, -1) : around',
      'found.isName ? [] : around',
    ],
  ]),
  ...inFile('packages/policy/src/arguments/paths/within.ts', [
    [
      '8 paths: two slashes lead to another host',
      "isRooted && names.length > 1 && names[1] === ''",
      "isRooted && names.length > 99 && names[1] === ''",
    ],
    ['8 paths: a name that ends with a dot is refused', '/^ |[. ]$/.test(name)', '/^ | $/.test(name)'],
    [
      '8 paths: a backslash is part of a name on Unix',
      "if (drive === undefined && rest.includes('\\\\')) return null;",
      '',
    ],
    ['8 paths: each folder name is compared', 'outer.names.every(', 'outer.names.some('],
  ]),
  ...inFile('packages/policy/src/arguments/paths/system-path.ts', [
    [
      '8 system paths: secrets are found anywhere',
      'beginsIn(SECRETS, segments, at) || ',
      'beginsIn(SECRETS, segments, 0) || ',
    ],
    [
      '8 system paths: only empty devices such as /dev/null pass',
      ' && segments.length === 2 && DEVICES.has(second)',
      '',
    ],
    [
      '8 system paths: file: without slashes is absolute',
      "if (before === 'file') return",
      "if (before === 'file:') return",
    ],
  ]),
];
