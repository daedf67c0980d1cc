import type { LinearPattern } from '../linear-pattern.ts';
import type { Dialect, Members } from './keywords.ts';
import type { Check } from './run.ts';

/** What keywords need to compile the schemas, references and patterns that they hold. */
export interface SchemaCompiler {
  readonly dialect: Dialect;
  compile(part: unknown): Check;
  refer(reference: string): Check;
  pattern(source: string): LinearPattern;
}

/**
 * Makes the check of one keyword. Null: it decides nothing by itself. The value of the keyword has the shape that KEYWORDS
 * says; `schema` is the schema that holds the keyword.
 */
export type KeywordCompiler = (
  value: never,
  context: { readonly schema: Members; readonly compiler: SchemaCompiler },
) => Check | null;
