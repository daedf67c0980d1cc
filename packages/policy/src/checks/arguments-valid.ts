import { legible } from '@mandate/schemas';
import type { StaticCheck } from './check.ts';

export const argumentsValid: StaticCheck = {
  name: 'arguments-valid',
  look({ action, tool }) {
    if (action.type !== 'tool_call' || tool?.argumentRules == null) return undefined;
    const fault = tool.argumentRules.validate(action.args ?? {});
    if (fault === null) return { saw: null, objection: null };
    const place = fault.pointer === '' ? 'the top' : legible(fault.pointer).slice(1, -1);
    return {
      saw: { rule: fault.rule, pointer: fault.pointer, expected: fault.expected },
      objection: {
        code: 'ARGUMENT_VALIDATION_FAILED',
        reason: `The arguments of "${action.tool}" break the rule "${fault.rule}" at ${place}: expected ${fault.expected}, found ${fault.seen}.`,
        remedy: 'Call again, under a new id, with arguments that keep the rule.',
      },
    };
  },
};
