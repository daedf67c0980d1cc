import type { KeywordCompiler, SchemaCompiler } from './keyword-compiler.ts';
import { type Check, type Run, Seen } from './run.ts';

/** Keywords with subschemas that judge the same value. The notes of a subschema count only if the subschema holds. */
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
        // The others decide nothing more, unless it counts what they judge.
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

/** Judges by a subschema that may fail without the whole failing: its notes are added only if it holds. */
function holdsApart(check: Check, value: unknown, run: Run, seen: Seen | null): boolean {
  if (seen === null) return check(value, run, null);
  const own = new Seen();
  if (!check(value, run, own)) return false;
  seen.add(own, run);
  return true;
}
