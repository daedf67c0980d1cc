import { blocked, passed, type StaticCheck } from './check.ts';

export const toolAllowed: StaticCheck = ({ type, policy: { allowedTools } }) => {
  if (type !== 'tool_call' || allowedTools === null) return null;
  return ({ name: tool }) => {
    const pattern = allowedTools(tool);
    if (pattern !== null) return passed('tool-allowed', { tool, pattern });
    return blocked(
      'tool-allowed',
      { tool },
      {
        code: 'TOOL_NOT_ALLOWED',
        reason: `No pattern of allowedTools matches the tool "${tool}".`,
        remedy: 'Use an allowed tool, or have this one added to allowedTools.',
      },
    );
  };
};
