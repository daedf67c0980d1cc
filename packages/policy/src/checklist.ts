/**
 * What calls of one kind are held to. That follows from the mandate alone, so it is worked out once for its LLM calls, for
 * each tool that it has a policy for, and for all other tools: a plan asks only what applies, and its lists have the
 * right length from the start.
 */
import type { Action } from '@mandate/schemas';
import type { Calls, LimitCheck, LimitOf, Look, StaticCheck } from './checks/check.ts';
import type { Mandate, ToolPolicy } from './mandate/mandate.ts';

export type Checklist = {
  tool: ToolPolicy | null;
  looks: readonly Look[];
  limits: readonly LimitOf[];
};

type OfMandate = { llmCalls: Checklist; tools: ReadonlyMap<string, Checklist>; otherTools: Checklist };

/** What is made stays for as long as its mandate. */
export function checklists(
  staticChecks: readonly StaticCheck[],
  limitChecks: readonly Pick<LimitCheck, 'limits'>[],
): (mandate: Mandate, action: Action) => Checklist {
  const made = new WeakMap<Mandate, OfMandate>();
  return (mandate, action) => {
    let known = made.get(mandate);
    if (known === undefined) {
      known = ofMandate(mandate, listOf);
      made.set(mandate, known);
    }
    if (action.type === 'llm_call') return known.llmCalls;
    return known.tools.get(action.tool) ?? known.otherTools;
  };

  function listOf(calls: Calls): Checklist {
    return {
      tool: calls.tool,
      looks: staticChecks.map((check) => check(calls)).filter((look) => look !== null),
      limits: limitChecks.flatMap((check) => check.limits(calls)),
    };
  }
}

function ofMandate(mandate: Mandate, listOf: (calls: Calls) => Checklist): OfMandate {
  const tools = [...mandate.tools].map(
    ([name, tool]) => [name, listOf({ type: 'tool_call', mandate, tool })] as const,
  );
  return {
    llmCalls: listOf({ type: 'llm_call', mandate, tool: null }),
    tools: new Map(tools),
    otherTools: listOf({ type: 'tool_call', mandate, tool: null }),
  };
}
