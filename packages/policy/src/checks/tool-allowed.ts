import type { StaticCheck } from './check.ts';

export const toolAllowed: StaticCheck = {
  name: 'tool-allowed',
  look({ action, mandate }) {
    if (action.type !== 'tool_call' || mandate.allowedTools === null) return undefined;
    const pattern = mandate.allowedTools(action.tool);
    if (pattern !== null) return { saw: { tool: action.tool, pattern }, objection: null };
    return {
      saw: { tool: action.tool },
      objection: {
        code: 'TOOL_NOT_ALLOWED',
        reason: `No pattern of allowedTools matches the tool "${action.tool}".`,
        remedy: 'Use an allowed tool, or have this one added to allowedTools.',
      },
    };
  },
};
