/** What differs between the dialects of SQL: how text is split, what may be called, what may be read. */
export interface SqlDialect {
  readonly name: string;
  readonly lexis: SqlLexis;
  /** Functions that compute from their arguments or read the database, and do nothing else. Lower case. */
  readonly functions: ReadonlySet<string>;
  /** What may be called in FROM. Lower case. */
  readonly tableFunctions: ReadonlySet<string>;
  /** What may be read without parentheses beside the tables of users: which names of the system, and which never. */
  readonly relations: RelationNames;
  /** The words that `SHOW` may be followed by; `null`: the name of any setting. */
  readonly show: ReadonlySet<string> | null;
  /** Pragmas that only read. */
  readonly pragmas: ReadonlySet<string>;
  /** `FROM t SELECT x`, and `FROM t` alone. */
  readonly fromFirst: boolean;
  /** `name := value` names an argument; elsewhere it assigns to a variable. */
  readonly colonEquals: boolean;
  /** `a IN (b.c)` reads the table b.c. */
  readonly inReadsTables: boolean;
  /** `(x).f` calls the function f with x, unless x has a field of this name. */
  readonly fieldsCall: boolean;
}

export interface SqlLexis {
  /** `--` begins a comment: always, or only before a blank. */
  readonly dashes: 'always' | 'before a blank';
  /** A backslash within quotes: it escapes, it is a character like others, or dialects or settings differ. */
  readonly backslash: 'escapes' | 'ordinary' | 'differs';
  readonly backticks: boolean;
  readonly dollarQuotes: boolean;
  /** `a$b` is one word. */
  readonly dollarInWords: boolean;
  /** What may stand right before a quote: `e'…'`, `x'…'`. */
  readonly prefixes: RegExp;
  /** A place for a value that is sent apart. */
  readonly parameter: RegExp;
  /** Characters that operators consist of. */
  readonly operators: string;
  /** `[1, 2]` and `a[1]`. */
  readonly brackets: boolean;
  /** `{'a': 1}` */
  readonly braces: boolean;
}

interface RelationNames {
  /** Schemas that belong to the system: of these only `known` may be read. */
  readonly systemSchemas: ReadonlySet<string>;
  /** Beginnings of names that belong to the system, in any schema: of these only `known` may be read. */
  readonly systemPrefixes: readonly string[];
  /** Tables and views of the system that only read, without their schema. */
  readonly known: ReadonlySet<string>;
  /** Names that read something else than a table, such as files. */
  readonly refused: RegExp | null;
  /** How many parts a name has at most: `database.schema.table`. */
  readonly parts: number;
}

/** A list of names, written as words. */
export function names(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.toLowerCase().split(/\s+/)).filter((name) => name !== ''));
}
