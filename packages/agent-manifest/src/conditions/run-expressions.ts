/** Evaluates expressions on the data of a run. All expressions of one step share a budget of work. */
import type { StepBudget } from '@mandate/policy/parts';
import { compileExpression } from './compile-expression.ts';
import { evaluate } from './evaluate.ts';
import { valueOfJson } from './from-json.ts';
import { schemasOf } from './integer-schemas.ts';
import { failure, type Result, type Value } from './values.ts';
import { costOfPatterns, costOfReading, EvaluationEnded, MOST_WORK, spend } from './work.ts';

/** The data of a run by the names of the variables: `inputs`, `state`, `steps` and `run`, each as JSON. */
export type RunVariables = Readonly<Record<string, unknown>>;
/** The JSON Schema of each variable that has a schema. A number is an int if the schema says `integer`. */
export type RunSchemas = Readonly<Record<string, unknown>>;

export type RunExpressions = {
  readonly budget: StepBudget;
  readonly resultOf: (text: string) => Result;
};

/** @param mostWork for tests; the limit of work in units */
export function expressionsOn(
  variables: RunVariables,
  schemas: RunSchemas = {},
  mostWork: number = MOST_WORK,
): RunExpressions {
  const budget: StepBudget = { left: mostWork };
  const values = new Map<string, Value>();
  const lookUp = (name: string) => {
    const known = values.get(name);
    if (known !== undefined || !Object.hasOwn(variables, name)) return known;
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    const value = valueOfJson(variables[name], schemasOf(schema), budget);
    values.set(name, value);
    return value;
  };
  return {
    budget,
    resultOf(text) {
      try {
        spend(budget, costOfReading(text));
        const compiled = compileExpression(text);
        if ('fault' in compiled) return failure(compiled.fault);
        spend(budget, costOfPatterns(compiled.patternSize));
        return evaluate(compiled.expression, { budget, lookUp });
      } catch (error) {
        if (error instanceof EvaluationEnded) return failure(error.message);
        throw error;
      }
    },
  };
}
