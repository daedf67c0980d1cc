/** The target of `kill` and `revive`, and its form in a request. */

import type { ApiClient } from '@mandate/client';
import type { Command } from 'commander';
import { WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { type DryRun, withDryRun } from '../output/dry-run.ts';

export type TargetOptions = DryRun & { tenant?: true; all?: true; subtree?: true; reason?: string };

export function withTarget(command: Command): Command {
  return withDryRun(command)
    .option('--subtree', 'the agent and all its descendants, also those registered later')
    .option('--tenant', 'every agent of the tenant of the key')
    .option('--all', 'everything, in every tenant (scope operate:all)')
    .option('--reason <text>', 'why; kept on the record', someText);
}

/** Throws a usage failure unless exactly one target is named. Several agents are one target of a kill. */
export function sendTo<Answer>(
  api: ApiClient,
  verb: 'kill' | 'revive',
  agents: readonly string[],
  { tenant, all, subtree, reason, dryRun }: TargetOptions,
): Promise<Answer> {
  const chosen = [agents.length > 0, tenant === true, all === true].filter(Boolean).length;
  if (chosen !== 1 || agents.includes(''))
    throw new WrongUse(
      `no target, or more than one target, to ${verb}`,
      'Give one of: an agent id, --tenant, --all.',
    );
  const why = reason === undefined ? {} : { reason };
  const how = { query: { dryRun } };
  const [agent] = agents;
  if (agent === undefined) return api.post(`/v1/${verb}`, { ...why, scope: all ? 'all' : 'tenant' }, how);
  const subtrees = subtree && { subtree };
  if (agents.length > 1)
    return api.post(`/v1/${verb}`, { ...why, scope: 'agents', agents, ...subtrees }, how);
  return api.post(`/v1/agents/${encodeURIComponent(agent)}/${verb}`, { ...why, ...subtrees }, how);
}
