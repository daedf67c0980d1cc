/**
 * The differences between dialects of SQL: how text is split, which functions may be called, and which tables may be
 * read.
 */
export interface SqlDialect {
  readonly name: string;
  readonly lexis: SqlLexis;
  /** Functions that compute from their arguments or read the database, and have no other effect. In lower case. */
  readonly functions: ReadonlySet<string>;
  /** The functions that may be called in FROM. In lower case. */
  readonly tableFunctions: ReadonlySet<string>;
  /** The system tables that FROM may or may not read. FROM may always read tables of users. */
  readonly relations: RelationNames;
  /** The words that may follow `SHOW`. `null` means that the name of any setting may follow. */
  readonly show: ReadonlySet<string> | null;
  /** The pragmas that only read. */
  readonly pragmas: ReadonlySet<string>;
  /** True if the dialect accepts `FROM t SELECT x`, and `FROM t` alone. */
  readonly fromFirst: boolean;
  /** True if `name := value` names an argument. In other dialects `:=` assigns a value to a variable. */
  readonly colonEquals: boolean;
  /** True if `a IN (b.c)` reads the table b.c. */
  readonly inReadsTables: boolean;
  /** True if `(x).f` calls the function f with the argument x, unless x has a field with this name. */
  readonly fieldsCall: boolean;
}

export interface SqlLexis {
  /** Where `--` begins a comment: always, or only before a blank. */
  readonly dashes: 'always' | 'before a blank';
  /** The meaning of a backslash within quotes. `differs` means that it depends on the dialect or on a setting. */
  readonly backslash: 'escapes' | 'ordinary' | 'differs';
  readonly backticks: boolean;
  readonly dollarQuotes: boolean;
  /** True if `a$b` is one word. */
  readonly dollarInWords: boolean;
  /** Text that may come directly before a quote: `e'…'`, `x'…'`. */
  readonly prefixes: RegExp;
  /** Matches a placeholder for a value that is sent separately. */
  readonly parameter: RegExp;
  /** The characters that operators consist of. */
  readonly operators: string;
  /** True if the dialect accepts `[1, 2]` and `a[1]`. */
  readonly brackets: boolean;
  /** True if the dialect accepts `{'a': 1}`. */
  readonly braces: boolean;
}

interface RelationNames {
  /** Schemas that belong to the system. Only their tables in `known` may be read. */
  readonly systemSchemas: ReadonlySet<string>;
  /**
   * Prefixes of names that belong to the system, in any schema. Tables with such a name may be read only if `known`
   * contains the name.
   */
  readonly systemPrefixes: readonly string[];
  /** Tables and views of the system that may be read, without their schema. */
  readonly known: ReadonlySet<string>;
  /** Matches names that do not mean a table but something else, such as a file. */
  readonly refused: RegExp | null;
  /** The most parts of a name: `database.schema.table` has 3. */
  readonly parts: number;
}

/** Returns a set of names from lists of words. */
export function names(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.toLowerCase().split(/\s+/)).filter((name) => name !== ''));
}
