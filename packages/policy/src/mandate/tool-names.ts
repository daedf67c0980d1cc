/**
 * Checks names in `toolPolicies`. They must be exact. A limit for a name that no tool has limits nothing, and the
 * tool that its author meant has no limit.
 */

import type { PolicyDocument } from '@mandate/schemas';
import { nearestName } from '@mandate/schemas/core';

type Names = Pick<
  PolicyDocument,
  'tools' | 'allowedTools' | 'deniedTools' | 'delegableTools' | 'toolPolicies'
>;

type NameFault = { path: readonly string[]; message: string };

/**
 * The number of faults that suggest a name. The next constant limits the comparisons of letters for each suggestion.
 * All suggestions take a few milliseconds.
 */
const MOST_ADVISED = 5;
const STEPS_OF_ADVICE = 200_000;

/**
 * Finds names in `toolPolicies` that belong to no callable tool. With a tool registry, every name must be registered.
 * Without a registry, a name that allowedTools lacks is a fault only if an allowed tool has no limit, because the
 * limit may have been meant for that tool.
 */
export function toolNameFaults({
  tools,
  allowedTools,
  delegableTools = [],
  toolPolicies,
}: Names): NameFault[] {
  const names = Object.keys(toolPolicies ?? {});
  if (tools !== undefined) {
    const known = new Set(tools);
    return faultsOf(
      names.filter((name) => !known.has(name)),
      tools,
      'is not among `tools`',
    );
  }
  if (allowedTools === undefined) return [];
  const callable = [...allowedTools, ...delegableTools];
  // It is unknown which tools a pattern with `*` allows, so no name is certainly wrong.
  if (callable.some((entry) => entry.includes('*'))) return [];
  const limited = new Set(names);
  if (callable.every((entry) => limited.has(entry))) return [];
  const allowed = new Set(callable);
  return faultsOf(
    names.filter((name) => !allowed.has(name)),
    callable,
    'is not in allowedTools or delegableTools',
  );
}

function faultsOf(names: readonly string[], known: readonly string[], why: string): NameFault[] {
  return names.map((name, at) => {
    const meant = at < MOST_ADVISED ? nearestName(name, known, STEPS_OF_ADVICE) : undefined;
    const advice = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return { path: ['toolPolicies', name], message: `${why}, so this limits nothing${advice}` };
  });
}

/**
 * Returns names of `toolPolicies` that appear nowhere else in the document, because a misspelling of such a name
 * would not be noticed.
 */
export function unconfirmedNames({ toolPolicies, ...lists }: Names): readonly string[] {
  if (toolPolicies === undefined || lists.tools !== undefined) return [];
  const { allowedTools = [], deniedTools = [], delegableTools = [] } = lists;
  const confirmed = new Set([...allowedTools, ...deniedTools, ...delegableTools]);
  return Object.keys(toolPolicies).filter((name) => !confirmed.has(name));
}
