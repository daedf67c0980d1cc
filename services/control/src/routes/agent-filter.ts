/** The filters of GET /v1/agents. */
import type { TenantControl } from '@mandate/control';
import { type AgentDocument, CAPS, described, id } from '@mandate/schemas';
import { z } from 'zod';
import { containsText, textQuery } from './text-filter.ts';

export const agentFilter = {
  q: textQuery('agents of which the id or name'),
  group: described(id.optional(), 'Only agents of this group.', 'support'),
  parent: described(id.optional(), 'Only direct sub-agents of this agent.', 'airline-lead'),
  family: described(id.optional(), 'Only this agent and all its descendants.', 'airline-lead'),
  label: described(
    z
      .string()
      .min(1)
      .max(2 * CAPS.idUnits + 1)
      .optional(),
    'Only agents with this label: `name`, or `name=value`.',
    'tier=gold',
  ),
};
type AgentFilter = { readonly [name in keyof typeof agentFilter]?: string | undefined };

export function filterAgents(agents: TenantControl['agents'], filter: AgentFilter): TenantControl['agents'] {
  const { q, group, parent, family, label } = filter;
  if ([q, group, parent, family, label].every((one) => one === undefined)) return agents;
  const contains = containsText(q);
  const isMeant = ({ id: agentId, name, groups = [], parent: own, labels = {} }: AgentDocument) =>
    contains(agentId, name) &&
    (group === undefined || groups.includes(group)) &&
    (parent === undefined || own === parent) &&
    (family === undefined || isBelow(agents, agentId, family)) &&
    (label === undefined || hasLabel(labels, label));
  return new Map([...agents].filter(([, { document }]) => isMeant(document)));
}

/** True if the agent is the head of the family, or one of its descendants. */
function isBelow(agents: TenantControl['agents'], agentId: string, head: string): boolean {
  let one: string | undefined = agentId;
  for (let height = 0; one !== undefined && height <= CAPS.parents; height += 1) {
    if (one === head) return true;
    one = agents.get(one)?.document.parent;
  }
  return false;
}

/** A name of a label may contain `=`, so each `=` may be the one that separates name and value. */
function hasLabel(labels: Readonly<Record<string, unknown>>, asked: string): boolean {
  return Object.entries(labels).some(([name, value]) => asked === name || asked === `${name}=${value}`);
}
