import { blocked, passed, type StaticCheck } from './check.ts';

export const toolKnown: StaticCheck = ({ judgedAs, policy: { registry } }) => {
  if (judgedAs !== 'tool' || registry === null) return null;
  return ({ name: tool }) => {
    if (registry.has(tool)) return passed('tool-known', { tool });
    return blocked(
      'tool-known',
      { tool, declared: registry.size },
      {
        code: 'UNKNOWN_TOOL',
        reason: `The tool "${tool}" is not among the ${registry.size} tools that are declared.`,
        remedy: 'Check the spelling, or declare the tool under `tools`.',
      },
    );
  };
};
