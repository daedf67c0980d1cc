import type { Action, Json } from '@mandate/schemas';
import { isToolCall, keysIn, legible } from '@mandate/schemas/core';
import { redactedIn } from '../redaction/placeholders.ts';
import { memberOf, visiblePointer } from '../redaction/visible-pointer.ts';
import { tooManySteps } from '../refused-plan.ts';
import { blocked, passed, type StaticCheck } from './check.ts';

/** The most redacted fields that a reason names. */
const MOST_NAMED = 3;

export const argumentsValid: StaticCheck = ({ tool }) => {
  const rules = tool?.argumentRules ?? null;
  if (rules === null) return null;
  return ({ action, redacted, name, stepBudget }) => {
    const fault = stepBudget.left < 0 ? null : rules.validate(argumentsOf(action), stepBudget);
    if (stepBudget.left < 0) {
      const { check, violation } = tooManySteps(`for the arguments of "${name}"`, { tool: name });
      return { result: 'block', check, violation };
    }
    if (fault === null) return passed('arguments-valid', null);
    const { rule, expected } = fault;
    const visible = visiblePointer(fault.pointer, argumentsOf(action), argumentsOf(redacted));
    const seen = visible === fault.pointer ? fault.seen : 'what is redacted';
    const pointer = legiblePointer(visible);
    const replaced = redactedAt(fault.pointer, argumentsOf(action));
    return blocked(
      'arguments-valid',
      { rule, pointer, expected },
      {
        code: 'ARGUMENT_VALIDATION_FAILED',
        reason: `The arguments of "${name}" break the rule "${rule}" at ${pointer || 'the top'}: expected ${expected}, found ${seen}.${notSeen(replaced)}`,
        remedy:
          replaced.length === 0
            ? 'Call again, under a new id, with arguments that obey the rule.'
            : 'If the redacted value breaks the rule, no other value helps. An operator must exempt the field from redaction ' +
              '(docs/operations.md), or remove it from the rule.',
      },
    );
  };
};

/** Returns pointers to values that were redacted before the decision: the faulty value, or values inside it. */
function redactedAt(pointer: string, args: Json): string[] {
  let within: Json | undefined = args;
  for (const name of keysIn(pointer)) within = memberOf(within, name);
  return within === undefined ? [] : redactedIn(within, pointer, MOST_NAMED + 1);
}

function notSeen(redacted: readonly string[]): string {
  if (redacted.length === 0) return '';
  const named = redacted.slice(0, MOST_NAMED).map((pointer) => legiblePointer(pointer) || 'the top');
  const more = redacted.length > MOST_NAMED ? ' and more' : '';
  return ` Redaction replaced ${named.join(', ')}${more} before the decision, so the rule did not see the original value.`;
}

/**
 * Returns a pointer that is safe to print. The agent chooses the field names, so they could otherwise control the
 * terminal of a reader.
 */
function legiblePointer(pointer: string): string {
  return legible(pointer).slice(1, -1);
}

function argumentsOf(action: Action): Json {
  return (isToolCall(action) && action.args) || {};
}
