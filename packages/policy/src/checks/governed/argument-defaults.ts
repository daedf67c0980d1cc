import type { Json } from '@mandate/schemas';
import { isToolCall } from '@mandate/schemas/core';
import type { GovernedDefaults } from '../../governance/governance.ts';
import { type JointCheck, obliging, passed } from '../check.ts';
import { governedOf } from './governed.ts';

const CHECK = 'argument-defaults';

/** Gives absent arguments the defaults of the policies. If several policies have a default, the first one counts. */
export const argumentDefaults: JointCheck = (calls) => {
  if (calls[0]?.judgedAs !== 'tool') return null;
  const tools = governedOf(calls).map(({ governance }) => governance.tools);
  if (tools.every((byName) => byName.size === 0)) return null;
  return {
    check: CHECK,
    run({ action, name }) {
      const given = (isToolCall(action) && action.args) || {};
      const filled: GovernedDefaults = {};
      for (const byName of tools)
        for (const [argument, value] of Object.entries(byName.get(name)?.defaults ?? {}))
          if (!Object.hasOwn(given, argument) && !Object.hasOwn(filled, argument)) filled[argument] = value;
      const names = Object.keys(filled);
      if (names.length === 0) return passed(CHECK, null);
      return obliging(CHECK, { filled: names }, { obligations: { arguments: filled as Json } });
    },
  };
};
