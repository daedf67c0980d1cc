import { formatMicros, type OpenAction } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { someText } from '../input/option-values.ts';
import { roundedUp } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';

export function openActionsCommand(agents: Command, run: RunCommand): void {
  const open = agents
    .command('open')
    .description(
      'Lists the allowed actions that may still run: they have no outcome, and their lease has not ended. The oldest ' +
        'comes first. Scope operate.',
    )
    .option('--agent <id>', 'actions of this agent', someText);
  withPage(open)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate agents open\n  mandate agents open --agent bot --json | jq .tool',
    )
    .action(({ agent, ...page }: PageOptions & { agent?: string }) =>
      run((context) => {
        const query = { agentId: agent };
        return showList(context, { path: '/v1/ledger/open', query, rows: 'open' }, page, {
          columns,
          empty: 'no allowed action is open',
          rest: '--json has all',
        });
      }),
    );
}

function columns(nowMs: number | null): readonly Column<OpenAction>[] {
  return [
    { title: 'AGENT', of: ({ agentId }) => agentId, keep: true, cut: true },
    { title: 'ACTION', of: ({ actionId }) => actionId, keep: true, cut: true },
    { title: 'DOES', of: doesOf, cut: true },
    { title: 'RESERVED', of: ({ reservedMicros }) => formatMicros(reservedMicros) },
    { title: 'LEASE', of: (action) => leaseOf(action, nowMs ?? Date.now()) },
    { title: 'DIGEST', of: ({ digest }) => digest, extra: true, cut: true },
  ];
}

/** The tool of a tool call, or the type of another action. */
export function doesOf({ type, tool }: Pick<OpenAction, 'type' | 'tool'>): string {
  return tool ?? type;
}

export function leaseOf({ leaseExpiresAtMs }: Pick<OpenAction, 'leaseExpiresAtMs'>, nowMs: number): string {
  return leaseExpiresAtMs > nowMs ? `ends in ${roundedUp(leaseExpiresAtMs - nowMs)}` : 'ended';
}
