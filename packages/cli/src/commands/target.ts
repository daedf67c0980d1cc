/** The target of `kill` and `revive`, and its form in a request. */

import type { ApiClient } from '@mandate/client';
import type { Command } from 'commander';
import { CommandFailure } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { type ConnectionOptions, withConnection } from './connection.ts';

export type TargetOptions = ConnectionOptions & { tenant?: true; all?: true; family?: true; reason?: string };

export function withTarget(command: Command): Command {
  return withConnection(
    command
      .argument('[agent]', 'the agent id')
      .option('--family', 'with the agent everything below it, also what is registered there later')
      .option('--tenant', 'every agent of the key’s tenant')
      .option('--all', 'everything, in every tenant (scope operate:all)')
      .option('--reason <text>', 'why; goes on the record', someText),
  );
}

/** Throws a usage failure unless exactly one target is named. */
export function sendTo<Answer>(
  api: ApiClient,
  verb: 'kill' | 'revive',
  agent: string | undefined,
  { tenant, all, family, reason }: TargetOptions,
): Promise<Answer> {
  const chosen = [agent !== undefined, tenant === true, all === true].filter(Boolean).length;
  if (chosen !== 1 || agent === '') {
    throw new CommandFailure(2, `say whom to ${verb}: an agent id, --tenant or --all, and one of them only`);
  }
  if (family && agent === undefined) throw new CommandFailure(2, '--family goes with an agent id');
  const why = reason === undefined ? {} : { reason };
  return agent === undefined
    ? api.post(`/v1/${verb}`, { scope: all ? 'all' : 'tenant', ...why })
    : api.post(`/v1/agents/${encodeURIComponent(agent)}/${verb}`, { ...why, ...(family && { family }) });
}
