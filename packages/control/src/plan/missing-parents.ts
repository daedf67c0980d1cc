/** Agents below one that is not registered: a plane refuses such an agent, and of one that stands it blocks what is done. */
import type { AgentDocument } from '@mandate/schemas';
import type { Change } from './change.ts';
import type { Standing } from './standing.ts';
import { whatWillBeOf } from './what-will-be.ts';

/** The agents to keep with a parent that does not exist once the changes are made. A line each. */
export function missingParents(
  agents: ReadonlyMap<string, Pick<AgentDocument, 'parent'>>,
  standing: readonly Standing[],
  changes: readonly Change[] = [],
): readonly string[] {
  const agentOf = whatWillBeOf('agent', standing, changes);
  return [...agents].flatMap(([id, { parent }]) => {
    if (parent === undefined) return [];
    const { before, change } = agentOf(parent);
    const named = `the agent "${id}" names the parent "${parent}", and`;
    if (change?.does === 'remove') return [`${named} that is removed, as no file has it`];
    return before === undefined && change === undefined ? [`${named} no such agent is registered`] : [];
  });
}
