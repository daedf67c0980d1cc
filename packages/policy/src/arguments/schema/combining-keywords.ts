import type { KeywordCompiler, SchemaCompiler } from './keyword-compiler.ts';
import { type Check, type Run, Seen } from './run.ts';

/**
 * Keywords with subschemas that check the same value as their schema. The fields that a subschema records in `seen`
 * count only if the subschema accepts the value.
 */
export const COMBINING_KEYWORDS = {
  $ref: (reference: string, { compiler }): Check => compiler.refer(reference),
  $dynamicRef: (reference: string, { compiler }): Check => compiler.refer(reference),
  allOf: (parts: readonly unknown[], { compiler }): Check => {
    const checks = compileAll(parts, compiler);
    return (value, run, seen) => checks.every((check) => check(value, run, seen));
  },
  anyOf: (parts: readonly unknown[], { compiler }): Check => {
    const checks = compileAll(parts, compiler);
    return (value, run, seen) => {
      let holds = false;
      for (const check of checks) {
        if (!holdsApart(check, value, run, seen)) continue;
        holds = true;
        // One accepting subschema is enough. If `seen` is used, the other subschemas run too, because each must
        // record which fields it checked.
        if (seen === null) break;
      }
      return holds || run.fail('a value that fits one of the schemas in anyOf', value);
    };
  },
  oneOf: (parts: readonly unknown[], { compiler }): Check => {
    const checks = compileAll(parts, compiler);
    return (value, run, seen) => {
      let holding = 0;
      for (const check of checks) {
        if (holdsApart(check, value, run, seen)) holding += 1;
        if (holding > 1) return run.fail('a value that fits only one of the schemas in oneOf', value);
      }
      return holding === 1 || run.fail('a value that fits one of the schemas in oneOf', value);
    };
  },
  not: (part: unknown, { compiler }): Check => {
    const check = compiler.compile(part);
    return (value, run) =>
      !check(value, run, null) || run.fail('a value that does not fit the schema in not', value);
  },
  if: (part: unknown, { schema, compiler }): Check => {
    const condition = compiler.compile(part);
    const [then, otherwise] = [schema.then ?? true, schema.else ?? true].map((each) =>
      compiler.compile(each),
    );
    return (value, run, seen) => {
      const next = holdsApart(condition, value, run, seen) ? then : otherwise;
      return next?.(value, run, seen) ?? true;
    };
  },
} satisfies Record<string, KeywordCompiler>;

function compileAll(parts: readonly unknown[], compiler: SchemaCompiler): readonly Check[] {
  return parts.map((part) => compiler.compile(part));
}

/**
 * Runs a subschema that may fail although the whole schema accepts the value. The fields and elements that it has
 * checked are added to `seen` only if it accepts the value.
 */
function holdsApart(check: Check, value: unknown, run: Run, seen: Seen | null): boolean {
  if (seen === null) return check(value, run, null);
  const own = new Seen();
  if (!check(value, run, own)) return false;
  seen.add(own, run);
  return true;
}
