/**
 * Gives Cedar the rules as a policy set, parsed once and stored in the engine. Every call names the set and sends
 * only the request. One policy with all patterns is faster than one policy for each pattern, and a call without
 * entities and schema is the fastest call.
 */
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { nameIn, type StaticEngine, type StaticRules } from './static-rules.ts';

const POLICIES = 'bench';
const ACTIONS = {
  tool_call: { type: 'Action', id: 'tool_call' },
  llm_call: { type: 'Action', id: 'llm_call' },
} as const;

export function cedar(rules: StaticRules): StaticEngine {
  const parsed = preparsePolicySet(POLICIES, { staticPolicies: policiesOf(rules) });
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors));
  return {
    what: 'cedar-wasm, parsed policies',
    permits(action, cost) {
      const name = nameIn(action);
      const answer = statefulIsAuthorized({
        principal: { type: 'Agent', id: action.agentId },
        action: ACTIONS[action.type === 'llm_call' ? 'llm_call' : 'tool_call'],
        resource: { type: 'Name', id: name },
        context: { name, cost },
        preparsedPolicySetId: POLICIES,
        entities: [],
      });
      if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
      return answer.response.decision === 'allow';
    },
  };
}

function policiesOf({ maxCostMicros, allowedTools, deniedTools, allowedModels }: StaticRules): string {
  return `
    permit (principal, action == Action::"tool_call", resource)
    when { context.cost <= ${maxCostMicros} && (${like(allowedTools)}) };

    permit (principal, action == Action::"llm_call", resource)
    when { context.cost <= ${maxCostMicros} && (${like(allowedModels)}) };

    forbid (principal, action == Action::"tool_call", resource)
    when { ${like(deniedTools)} };
  `;
}

/** Returns Cedar `like` conditions for globs. The globs of the bench mean the same in `like`. */
function like(globs: readonly string[]): string {
  return globs.map((glob) => `context.name like ${JSON.stringify(glob)}`).join(' || ');
}
