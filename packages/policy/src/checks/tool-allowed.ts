import { blocked, passed, type StaticCheck } from './check.ts';

/**
 * A policy of an ancestor also allows the tools that the ancestor may delegate, even if the ancestor may not call
 * them.
 */
export const toolAllowed: StaticCheck = ({
  judgedAs,
  policy: { allowedTools, delegableTools, ancestor },
}) => {
  if (judgedAs !== 'tool' || allowedTools === null) return null;
  const handedOn = ancestor === null ? null : delegableTools;
  return ({ name: tool }) => {
    const pattern = allowedTools(tool);
    if (pattern !== null) return passed('tool-allowed', { tool, pattern });
    const delegated = handedOn?.(tool) ?? null;
    if (delegated !== null) return passed('tool-allowed', { tool, pattern: delegated, delegated: true });
    return blocked(
      'tool-allowed',
      { tool },
      {
        code: 'TOOL_NOT_ALLOWED',
        reason: `No pattern of allowedTools matches the tool "${tool}".`,
        remedy:
          ancestor === null
            ? 'Use an allowed tool, or ask for this one to be added to allowedTools.'
            : 'Use an allowed tool, or ask for this one to be added to allowedTools or delegableTools of that policy.',
      },
    );
  };
};
