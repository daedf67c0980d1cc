import type { LinearPattern } from '../linear-pattern.ts';
import type { Dialect, Members } from './keywords.ts';
import type { Check } from './run.ts';

/** Compiles the schemas, references and patterns in the value of a keyword. */
export interface SchemaCompiler {
  readonly dialect: Dialect;
  compile(part: unknown): Check;
  refer(reference: string): Check;
  pattern(source: string): LinearPattern;
}

/**
 * Makes the check for one keyword. Null if the keyword has no effect by itself. The value of the keyword has the
 * shape that KEYWORDS defines. `schema` is the schema that contains the keyword.
 */
export type KeywordCompiler = (
  value: never,
  context: { readonly schema: Members; readonly compiler: SchemaCompiler },
) => Check | null;
