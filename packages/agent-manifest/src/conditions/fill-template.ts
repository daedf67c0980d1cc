/** Fills in the inputs of a step: the value of each `${expression}` replaces the expression. */

import type { StepBudget } from '@mandate/policy/parts';
import type { Json } from '@mandate/schemas';
import { conditionFault } from './condition-fault.ts';
import { roomForExpressions } from './room.ts';
import { expressionsOn, type RunExpressions, type RunSchemas, type RunVariables } from './run-expressions.ts';
import { templateParts } from './template-parts.ts';
import { jsonOfValue } from './to-json.ts';
import { isFailure } from './values.ts';
import { EvaluationEnded, spend, spendOnText } from './work.ts';

export type FilledTemplate =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

const NO_END =
  'an expression that begins with a dollar sign and { has no }: write }, or two dollar signs for text';
/** The maximum depth of the inputs. */
const DEEPEST = 200;

/**
 * Returns the fault of the expressions in a text, or null.
 *
 * @param room shared by all expressions of a manifest; the sizes of these are subtracted
 */
export function templateFault(text: string, room: StepBudget = roomForExpressions()): string | null {
  const parts = templateParts(text);
  if (parts === null) return NO_END;
  for (const part of parts) {
    if (!('expression' in part)) continue;
    const fault = conditionFault(part.expression, room);
    if (fault !== null) return `in \${${part.expression}}: ${fault}`;
  }
  return null;
}

/**
 * If an expression is the whole text, the result is its value. Within a longer text, the value becomes text: a list or
 * a map as JSON. Expressions in keys are never replaced.
 */
export function fillTemplate(
  template: unknown,
  variables: RunVariables,
  schemas?: RunSchemas,
): FilledTemplate {
  try {
    return { ok: true, value: filled(template, expressionsOn(variables, schemas), 0) };
  } catch (error) {
    if (error instanceof EvaluationEnded) return { ok: false, message: error.message };
    throw error;
  }
}

function filled(template: unknown, run: RunExpressions, depth: number): Json {
  if (depth > DEEPEST) throw new EvaluationEnded(`the inputs are nested deeper than ${DEEPEST}`);
  spend(run.budget, 1);
  if (typeof template === 'string') return filledText(template, run);
  if (Array.isArray(template)) return template.map((item) => filled(item, run, depth + 1));
  if (template === null || typeof template === 'boolean' || typeof template === 'number') return template;
  if (typeof template !== 'object') throw new EvaluationEnded('the inputs are no JSON');
  return Object.fromEntries(
    Object.entries(template).map(([key, member]) => [key, filled(member, run, depth + 1)]),
  );
}

function filledText(template: string, run: RunExpressions): Json {
  spendOnText(run.budget, template.length);
  const parts = templateParts(template);
  if (parts === null) throw new EvaluationEnded(NO_END);
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && 'expression' in first)
    return filledExpression(first.expression, run);
  const texts = parts.map((part) => {
    if ('text' in part) return part.text;
    const value = filledExpression(part.expression, run);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
  return texts.join('');
}

function filledExpression(expression: string, run: RunExpressions): Json {
  const value = run.resultOf(expression);
  const fault = (message: string) => new EvaluationEnded(`\${${expression}} has no value: ${message}`);
  if (isFailure(value)) throw fault(value.message);
  try {
    return jsonOfValue(value, run.budget);
  } catch (error) {
    throw error instanceof EvaluationEnded ? fault(error.message) : error;
  }
}
