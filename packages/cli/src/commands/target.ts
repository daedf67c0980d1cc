/** The target of `kill` and `revive`, and its form in a request. */

import type { ApiClient } from '@mandate/client';
import type { Command } from 'commander';
import { WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { type DryRun, withDryRun } from '../output/dry-run.ts';

export type TargetOptions = DryRun & { tenant?: true; all?: true; subtree?: true; reason?: string };

export function withTarget(command: Command): Command {
  return withDryRun(command)
    .argument('[agent]', 'the id of the agent')
    .option('--subtree', 'the agent and all its descendants, also those registered later')
    .option('--tenant', 'every agent of the tenant of the key')
    .option('--all', 'everything, in every tenant (scope operate:all)')
    .option('--reason <text>', 'why; kept on the record', someText);
}

/** Throws a usage failure unless exactly one target is named. */
export function sendTo<Answer>(
  api: ApiClient,
  verb: 'kill' | 'revive',
  agent: string | undefined,
  { tenant, all, subtree, reason, dryRun }: TargetOptions,
): Promise<Answer> {
  const chosen = [agent !== undefined, tenant === true, all === true].filter(Boolean).length;
  if (chosen !== 1 || agent === '')
    throw new WrongUse(
      `no target, or more than one target, to ${verb}`,
      'Give one of: an agent id, --tenant, --all.',
    );
  const why = reason === undefined ? {} : { reason };
  const how = { query: { dryRun } };
  const path = agent === undefined ? `/v1/${verb}` : `/v1/agents/${encodeURIComponent(agent)}/${verb}`;
  const target = agent === undefined ? { scope: all ? 'all' : 'tenant' } : subtree && { subtree };
  return api.post(path, { ...why, ...target }, how);
}
