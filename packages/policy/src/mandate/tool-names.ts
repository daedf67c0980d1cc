/**
 * Names under `toolPolicies`. They are exact: a limit under a name that no tool has limits nothing, and the tool that was
 * meant has no limit.
 */

import type { PolicyDocument } from '@mandate/schemas';
import { nearestName } from '@mandate/schemas/core';

type Names = Pick<
  PolicyDocument,
  'tools' | 'allowedTools' | 'deniedTools' | 'delegableTools' | 'toolPolicies'
>;

type NameFault = { path: readonly string[]; message: string };

/** So many are told what they probably meant, each after at most so many comparisons of letters: a few milliseconds. */
const MOST_ADVISED = 5;
const STEPS_OF_ADVICE = 200_000;

/**
 * Names that certainly name no tool that may be called, while another tool may be called without a limit of its own. A
 * registry must have them all; of a list of what is allowed they may be left over, as when a tool is taken off it.
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
  // What a glob allows is not known by name, and prices may stand there for more tools than are allowed.
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

/** Names that nothing in the document confirms: whether they are misspelt cannot be told. */
export function unconfirmedNames({ toolPolicies, ...lists }: Names): readonly string[] {
  if (toolPolicies === undefined || lists.tools !== undefined) return [];
  const { allowedTools = [], deniedTools = [], delegableTools = [] } = lists;
  const confirmed = new Set([...allowedTools, ...deniedTools, ...delegableTools]);
  return Object.keys(toolPolicies).filter((name) => !confirmed.has(name));
}
