import { type HttpProblem, tooManyOf } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import type { Counts, Held } from './refused-agents.ts';

/**
 * Returns how many of the actions belong to each agent.
 *
 * @throws HttpProblem 429 TOO_MANY_REFUSALS if one of the agents must wait
 */
export function mustNotBeHeld(
  { refused, measures }: Pick<Gateway, 'refused'> & { measures: Pick<Gateway['measures'], 'held'> },
  tenant: string,
  actions: readonly { agentId: string }[],
): Counts {
  const counts = new Map<string, number>();
  for (const { agentId } of actions) counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
  const held = refused.held(tenant, counts);
  if (held === null) return counts;
  measures.held.inc({ of: held.of });
  throw tooManyRefusals(held);
}

function tooManyRefusals({ agentId, of, waitMs }: Held): HttpProblem {
  const message =
    of === 'agent'
      ? `actions of agent ${agentId} were refused too often`
      : `agents of this tenant were refused too often, and agent ${agentId} is one of them or is not known`;
  return tooManyOf('TOO_MANY_REFUSALS', message, {
    waitMs,
    facts: { quota: 'refusals', of, agentId },
    otherwise: 'The quotas of the tenant allow no refusals. The operator of the plane can raise them.',
  });
}
