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
};

type Page = { agents: readonly Agent[]; next: string | null };

export function agentsCommand(command: Command, run: RunCommand): void {
  withConnection(command.description('Lists the agents that the ledger knows, by id.'))
    .addHelpText(
      'after',
      `
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
      of: ({ killed }) => (killed === null ? 'alive' : `killed (${killed.scope}): ${killed.reason}`),
      style: ({ killed }, text) => (killed === null ? text : paint('red', text, stdout)),
    },
  ];
}
