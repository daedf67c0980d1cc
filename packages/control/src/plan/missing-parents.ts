/**
 * Finds agents with a parent that is not registered. A plane refuses to add such an agent. If such an agent exists
 * already, the plane blocks its actions.
 */
import type { AgentDocument } from '@mandate/schemas';
import type { Change } from './change.ts';
import type { CurrentDocument } from './current-documents.ts';
import { whatWillBeOf } from './what-will-be.ts';

/** Returns one line for each agent in the files whose parent will not exist after the changes. */
export function missingParents(
  agents: ReadonlyMap<string, Pick<AgentDocument, 'parent'>>,
  current: readonly CurrentDocument[],
  changes: readonly Change[] = [],
): readonly string[] {
  const agentOf = whatWillBeOf('agent', current, changes);
  return [...agents].flatMap(([id, { parent }]) => {
    if (parent === undefined) return [];
    const { before, change } = agentOf(parent);
    const named = `the agent "${id}" names the parent "${parent}", and`;
    if (change?.does === 'remove') return [`${named} that agent is removed, because no file contains it`];
    return before === undefined && change === undefined ? [`${named} no such agent is registered`] : [];
  });
}
