import type { StaticCheck } from './check.ts';

export const toolKnown: StaticCheck = {
  name: 'tool-known',
  look({ action, mandate }) {
    if (action.type !== 'tool_call' || mandate.registry === null) return undefined;
    if (mandate.registry.has(action.tool)) return { saw: { tool: action.tool }, objection: null };
    return {
      saw: { tool: action.tool, declared: mandate.registry.size },
      objection: {
        code: 'UNKNOWN_TOOL',
        reason: `The tool "${action.tool}" is not among the ${mandate.registry.size} tools that are declared.`,
        remedy: 'Check the spelling, or declare the tool under `tools`.',
      },
    };
  },
};
