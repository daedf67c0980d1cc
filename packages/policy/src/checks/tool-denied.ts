import { blocked, passed, type StaticCheck } from './check.ts';

/** Deny overrides allow, so this check comes before the other checks of tools. */
export const toolDenied: StaticCheck = ({ judgedAs, policy: { deniedTools } }) => {
  if (judgedAs !== 'tool' || deniedTools === null) return null;
  return ({ name: tool }) => {
    const pattern = deniedTools(tool);
    if (pattern === null) return passed('tool-denied', { tool });
    return blocked(
      'tool-denied',
      { tool, pattern },
      {
        code: 'TOOL_DENIED',
        reason: `The tool "${tool}" is denied by "${pattern}".`,
        remedy: 'Use another tool. Only a change of deniedTools can allow this one.',
      },
    );
  };
};
