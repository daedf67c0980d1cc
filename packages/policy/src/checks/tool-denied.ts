import type { StaticCheck } from './check.ts';

/** Deny beats allow, so this stands before every other word on tools. */
export const toolDenied: StaticCheck = {
  name: 'tool-denied',
  look({ action, mandate }) {
    if (action.type !== 'tool_call' || mandate.deniedTools === null) return undefined;
    const pattern = mandate.deniedTools(action.tool);
    if (pattern === null) return { saw: { tool: action.tool }, objection: null };
    return {
      saw: { tool: action.tool, pattern },
      objection: {
        code: 'TOOL_DENIED',
        reason: `The tool "${action.tool}" is denied by "${pattern}".`,
        remedy: 'Use another tool; only a change of deniedTools lets this one through.',
      },
    };
  },
};
