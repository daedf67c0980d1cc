import type { Json, Obligations, Prompt } from '@mandate/schemas';
import type { Governance } from '../../governance/governance.ts';
import { tooManySteps } from '../../refused-plan.ts';
import { type Calls, type JointCheck, obliging } from '../check.ts';
import { governedOf } from './governed.ts';
import { filterOf, storesOf } from './readable-stores.ts';
import { textIn } from './text-length.ts';

const CHECK = 'intent';

/**
 * Classifies a prompt, and says who handles it: which specialists, tools and stores belong to its intent. A turn has
 * one intent, so the first policy with intents classifies.
 */
export const intent: JointCheck = (calls) => {
  if (calls[0]?.type !== 'prompt') return null;
  const classifying = governedOf(calls).find(({ governance }) => governance.intents !== null);
  const intents = classifying?.governance.intents ?? null;
  if (classifying === undefined || intents === null) return null;
  const { governance, policy } = classifying;
  return {
    check: CHECK,
    run({ action, stepBudget }) {
      const found = intents.compiled().classify(textIn(action), stepBudget);
      if (found === null) {
        const { check, violation } = tooManySteps('for the intents', {});
        return { result: 'block', check, violation, of: policy };
      }
      const role = (action as Prompt).principal?.role;
      const obligations: Obligations = {
        intent: found as unknown as Json,
        specialists: handlersOf(governance, found.id),
        tools: toolsOf(calls, governance, found.id, role),
        ...readableIn(calls, found.id),
      };
      const { id, by, length } = found;
      const finding = obliging(CHECK, { intent: id, by, length }, { obligations });
      return { ...finding, opensTurn: id, of: policy };
    },
  };
};

function handlersOf({ specialists }: Governance, id: string): string[] {
  return specialists.filter(({ intents }) => intents.has(id)).map((one) => one.id);
}

/** Returns the tools of an intent that the role may use. Whether a rate has room is only known when a tool is called. */
function toolsOf(
  calls: readonly Calls[],
  { tools }: Governance,
  id: string,
  role: string | undefined,
): string[] {
  return [...tools].flatMap(([tool, { intents }]) => {
    const given = intents === null || intents.includes(id);
    return given && calls.every(({ policy }) => mayUse(policy.tools.get(tool)?.roles, role)) ? [tool] : [];
  });
}

function mayUse(roles: readonly string[] | null | undefined, role: string | undefined): boolean {
  return roles === null || roles === undefined || (role !== undefined && roles.includes(role));
}

function readableIn(calls: readonly Calls[], id: string): Obligations {
  const governed = governedOf(calls).filter(({ governance }) => governance.read !== null);
  if (governed.length === 0) return {};
  return { stores: storesOf(governed, id) as unknown as Json, ...filterOf(governed) };
}
