/** Runs the cases of the JSON-Schema-Test-Suite through the loader of argument rules, and compares the verdicts. */
import { compileArgumentRules } from '@mandate/policy';
import { explicitForm } from './explicit-form.ts';

export type Dialect = '2020-12' | 'draft-07';

/** One schema of the suite with its cases, in the form of the suite's files. */
export type Group = {
  description: string;
  schema: unknown;
  tests: readonly { description: string; data: unknown; valid: boolean }[];
};

export type GroupResult =
  | { refused: string }
  /** `explicit` is true if the schema was accepted only after its defaults were added. */
  | { explicit: boolean; equal: number; stricter: readonly Stricter[]; different: readonly string[] };

/**
 * A case that the suite accepts and Mandate refuses, because Mandate enforces a format, or enforces it more strictly.
 */
type Stricter = { format: string; description: string };

export function runGroup({ description, schema, tests }: Group, dialect: Dialect): GroupResult {
  const named = withDialect(schema, dialect);
  const asWritten = compileArgumentRules({ schema: named });
  const rules = asWritten.ok
    ? asWritten
    : compileArgumentRules({ schema: explicitForm(named, dialect) as Record<string, unknown> });
  if (!rules.ok) return { refused: reasonOf(rules.faults[0]?.message ?? '') };
  const result = { explicit: !asWritten.ok, equal: 0, stricter: [] as Stricter[], different: [] as string[] };
  for (const test of tests) {
    const fault = rules.validate(test.data, { left: Number.POSITIVE_INFINITY });
    const format = /^text of the format (\S+)$/.exec(fault?.expected ?? '')?.[1];
    if ((fault === null) === test.valid) result.equal += 1;
    else if (format !== undefined)
      result.stricter.push({ format, description: `${description}: ${test.description}` });
    else result.different.push(`${description}: ${test.description}`);
  }
  return result;
}

/**
 * Returns the schema with its dialect. The loader takes only objects, and reads a schema without a dialect as
 * 2020-12.
 */
function withDialect(schema: unknown, dialect: Dialect): Record<string, unknown> {
  const members = typeof schema === 'object' && schema !== null ? schema : { allOf: [schema] };
  const $schema = dialect === 'draft-07' ? { $schema: 'http://json-schema.org/draft-07/schema#' } : {};
  return { ...$schema, ...members };
}

/** Returns the reason of a refusal. Parts that differ between schemas are removed. */
function reasonOf(message: string): string {
  return message
    .replace(/"[^"]*"/g, '"…"')
    .replace(/known: .*/, 'known: …')
    .replace(/^(?!\$)\S+ is an unknown/, '… is an unknown')
    .replace(/\(\S+\)/, '(…)');
}
