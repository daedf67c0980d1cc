/** Breaks the schemas and validators of arguments. */
import { inFile, type Mutation } from '../mutation.ts';

const POLICY = 'packages/policy/src';

export const ARGUMENT_MUTATIONS: readonly Mutation[] = [
  ...inFile(`${POLICY}/arguments/linear-pattern.ts`, [
    [
      '7 a pattern takes its size times the text',
      'size * (text.length + COMPILING)',
      'text.length + COMPILING',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/run.ts`, [
    ['7 schemas take what they look at', 'if (this.effort.left < 0) throw new StepsExhausted();', ''],
    [
      '7 unevaluatedProperties leaves out what a branch judged',
      'for (const name of other.#names) this.#names.add(name);',
      '',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/combining-keywords.ts`, [
    ['7 a branch that fails has judged nothing', 'if (!check(value, run, own)) return false;\n', ''],
    ['7 every branch of anyOf is asked what it judges', 'if (seen === null) break;', 'break;'],
  ]),
  ...inFile(`${POLICY}/arguments/schema/multiple-of.ts`, [
    [
      '7 multiples of a decimal go by its digits',
      'if (shift < 0) return false;',
      'if (shift < 0) return true;',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/check-schema.ts`, [
    ['7 a limit without its type is refused', 'if (types === null) {', 'if (types === null && false) {'],
    [
      '7 an unknown keyword of a schema is refused',
      'const refused = refusedKeyword(name, this.#dialect);',
      'const refused = null;',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/schema/same-value.ts`, [
    [
      '7 a schema that refers to itself without end is refused',
      'if (known === null) return this.#refuse(path, ENDLESS);',
      'if (known === null) return extent;',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/email-domains.ts`, [
    [
      'emailDomains: a message in running text has recipients',
      'if (message.length > 0) return',
      "if (message.length > 0 && field !== 'text') return",
    ],
    [
      'emailDomains: base64 is decoded',
      "[text, decoded ?? ''].flatMap(recipientsOfMessage)",
      '[text].flatMap(recipientsOfMessage)',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/mail/addresses-in-text.ts`, [
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
  ...inFile(`${POLICY}/arguments/sql/operand.ts`, [
    ['8 SQL: a function that is on no list is refused', '!isCallable(last.text, reader.dialect)', 'false'],
    ['8 SQL: a quoted function is refused', "last?.kind !== 'word' || ", 'last === undefined || '],
    ['8 SQL: a sequence is not counted up', 'second !== undefined && SEQUENCES', 'false && SEQUENCES'],
    [
      '8 SQL: ClickHouse reads a table that IN names',
      'if (reader.dialect.inReadsTables) checkRelation',
      'if (false) checkRelation',
    ],
    ['8 SQL: only a type begins a literal', ' || !LITERAL_TYPES.has(word.text)', ''],
  ]),
  ...inFile(`${POLICY}/arguments/sql/from-clause.ts`, [
    ['8 SQL: FROM calls only what is on the list', '!reader.dialect.tableFunctions.has(name)', 'false'],
    [
      '8 SQL: a single table in parentheses has no alias',
      'name !== null && !takeFurtherTable',
      'false && !takeFurtherTable',
    ],
    [
      '8 SQL: an alias is as plain as a table',
      "(alias?.kind === 'name' && isPlainName(alias))",
      "alias?.kind === 'name'",
    ],
  ]),
  ...inFile(`${POLICY}/arguments/sql/field-calls.ts`, [
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
    ['8 SQL: names that PostgreSQL cuts are refused', '.length >= SHORTEST_CUT_NAME_BYTES', '.length < 0'],
  ]),
  ...inFile(`${POLICY}/arguments/sql/relation.ts`, [
    ['8 SQL: a file in quotes is no table', "'name' && isPlainName(token)", "'name'"],
    ['8 SQL: a word that begins a query is no table', 'WRITING_WORDS, QUERY_WORDS]', 'WRITING_WORDS]'],
    ['8 SQL: tables of the system go by a list', '(isOfSystem && !known.has(table)) || ', ''],
  ]),
  ...inFile(`${POLICY}/arguments/sql/tokens.ts`, [
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
  ...inFile(`${POLICY}/arguments/sql/reading-statement.ts`, [
    [
      '8 SQL: one statement only',
      "if (peek(reader) !== undefined) refuse(reader, hasEnd ? 'a second statement' : undefined);",
      '',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/judged-strings.ts`, [
    [
      '8 every string is judged unless fields are named',
      '!found.isName || fieldsAround(found).length > 1',
      'fieldsAround(found).includes("sql")',
    ],
    [
      '8 names of fields within a named field are judged',
      'found.isName ? around.slice(0, -1) : around',
      'found.isName ? [] : around',
    ],
  ]),
  ...inFile(`${POLICY}/arguments/paths/within.ts`, [
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
  ...inFile(`${POLICY}/arguments/paths/system-path.ts`, [
    [
      '8 system paths: secrets are found anywhere',
      'beginsIn(SECRETS, segments, at) || ',
      'beginsIn(SECRETS, segments, 0) || ',
    ],
    [
      '8 system paths: only devices that hold nothing pass',
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
