import { formatMicros } from '@mandate/schemas';
import type { Command } from 'commander';
import type { Output, RunCommand } from '../command-context.ts';
import { showRows } from '../output/show-rows.ts';
import { type Column, paint } from '../output/table.ts';
import { rowsOf } from '../pages.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Agent = {
  agentId: string;
  spentMicros: number;
  openActions: number;
  killed: { scope: string; reason: string } | null;
  status: 'registered' | 'retired' | 'named' | null;
};

type Page = { agents: readonly Agent[]; next: string | null };

export function agentsCommand(command: Command, run: RunCommand): void {
  withConnection(
    command.description(
      'Lists the agents that acted, were killed, are registered, or are named by the mandates file; by id.',
    ),
  )
    .addHelpText(
      'after',
      `
STATE says what stops an agent: a kill, or that the agent was retired. \`mandate preview\` shows
what the others may do.

Examples:
  mandate agents
  mandate agents --json | jq -r 'select(.killed) | .agentId'`,
    )
    .action((options: ConnectionOptions) =>
      run(async (context) => {
        const { stdout } = context;
        const agents = rowsOf(connect(options, context), {
          path: '/v1/ledger/agents',
          cursor: 'after',
          pageSize: 1_000,
          rows: ({ agents }: Page) => agents,
        });
        await showRows(stdout, agents, {
          json: options.json === true,
          columns: columns(stdout),
          empty: 'no agent is known yet',
        });
        return 0;
      }),
    );
}

function columns(stdout: Output): readonly Column<Agent>[] {
  return [
    { title: 'AGENT', of: ({ agentId }) => agentId },
    { title: 'SPENT', of: ({ spentMicros }) => formatMicros(spentMicros), align: 'right' },
    { title: 'OPEN', of: ({ openActions }) => String(openActions), align: 'right' },
    {
      title: 'STATE',
      of: stateOf,
      style: ({ killed, status }, text) =>
        killed !== null || status === 'retired' ? paint('red', text, stdout) : text,
    },
  ];
}

function stateOf({ killed, status }: Agent): string {
  const stops = [
    ...(status === 'retired' ? ['retired'] : []),
    ...(killed === null ? [] : [`killed (${killed.scope}): ${killed.reason}`]),
  ];
  return stops.length === 0 ? 'alive' : stops.join(', ');
}
