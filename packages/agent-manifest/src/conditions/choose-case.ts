import { expressionsOn, type RunSchemas, type RunVariables } from './run-expressions.ts';
import { isFailure, typeOf } from './values.ts';

export type SwitchCases = {
  /** For each condition, in order, the step to which it leads. */
  readonly cases: Readonly<Record<string, string>>;
  /** The step that follows if no condition is true. */
  readonly default?: string | undefined;
  readonly variables: RunVariables;
  readonly schemas?: RunSchemas | undefined;
};

export type ChosenCase =
  | { readonly next: string }
  | {
      readonly failed: 'EXPRESSION_FAILED' | 'CASE_NOT_BOOLEAN' | 'NO_CASE_MATCHED';
      readonly message: string;
    };

/**
 * Returns the step of the first condition that is true. If a condition fails, the result is not the default, because an
 * unknown value must not choose a step.
 */
export function chooseCase({ cases, default: otherwise, variables, schemas }: SwitchCases): ChosenCase {
  const run = expressionsOn(variables, schemas);
  for (const [condition, next] of Object.entries(cases)) {
    const value = run.resultOf(condition);
    if (isFailure(value))
      return failed('EXPRESSION_FAILED', condition, `cannot be evaluated: ${value.message}`);
    if (typeof value !== 'boolean') {
      return failed(
        'CASE_NOT_BOOLEAN',
        condition,
        `must be true or false, and is a value of ${typeOf(value)}`,
      );
    }
    if (value) return { next };
  }
  if (otherwise !== undefined) return { next: otherwise };
  return { failed: 'NO_CASE_MATCHED', message: 'No case of the switch is true, and it has no default.' };
}

type Failed = Extract<ChosenCase, { failed: string }>;

function failed(code: Failed['failed'], condition: string, what: string): Failed {
  return { failed: code, message: `The case ${JSON.stringify(condition)} ${what}.` };
}
