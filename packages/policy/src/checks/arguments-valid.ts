import { type Action, type Json, legible } from '@mandate/schemas';
import { visiblePointer } from '../redaction/visible-pointer.ts';
import { tooManySteps } from '../refused-plan.ts';
import { blocked, passed, type StaticCheck } from './check.ts';

export const argumentsValid: StaticCheck = ({ tool }) => {
  const rules = tool?.argumentRules ?? null;
  if (rules === null) return null;
  return ({ action, shown, name, effort }) => {
    const fault = effort.left < 0 ? null : rules.validate(argumentsOf(action), effort);
    if (effort.left < 0) {
      const { check, objection } = tooManySteps(`for the arguments of "${name}"`, { tool: name });
      return { said: 'block', check, objection };
    }
    if (fault === null) return passed('arguments-valid', null);
    const { rule, expected } = fault;
    const visible = visiblePointer(fault.pointer, argumentsOf(action), argumentsOf(shown));
    const seen = visible === fault.pointer ? fault.seen : 'what is redacted';
    // Names of fields are the agent's: whoever reads the record must not be steered by them.
    const pointer = legible(visible).slice(1, -1);
    return blocked(
      'arguments-valid',
      { rule, pointer, expected },
      {
        code: 'ARGUMENT_VALIDATION_FAILED',
        reason: `The arguments of "${name}" break the rule "${rule}" at ${pointer || 'the top'}: expected ${expected}, found ${seen}.`,
        remedy: 'Call again, under a new id, with arguments that keep the rule.',
      },
    );
  };
};

function argumentsOf(action: Action): Json {
  return (action.type === 'tool_call' && action.args) || {};
}
