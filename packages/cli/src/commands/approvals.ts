import { rowsOf } from '@mandate/client';
import type { Command } from 'commander';
import type { Approval } from '../approvals/approval.ts';
import { approvalText } from '../approvals/approval-text.ts';
import type { RunCommand } from '../command-context.ts';
import { momentBefore, someText, wholeNumber } from '../input/option-values.ts';
import { showEach } from '../output/show-rows.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { agent?: string; from: string; all?: true; limit: number };

type Page = { approvals: readonly Approval[]; next: string | null };

export function approvalsCommand(command: Command, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  withConnection(
    command
      .description(
        'Lists deferred actions that wait for an answer, newest first, with all that the agent sent. `mandate approve` and ' +
          '`mandate deny` answer them by their id or that of the decision. The agent then sends the same action again.',
      )
      .option('--agent <id>', 'of this agent', someText)
      .option(
        '--from <time>',
        'deferred since: RFC 3339, a day, or how long ago: 15m, 2h, 7d, 4w',
        moment,
        moment('1d'),
      )
      .option('--all', 'also those that were decided since')
      .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000 }), 50),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate approvals
  mandate approvals --from 7d --json | jq .args`,
    )
    .action((options: Options) =>
      run(async (context) => {
        const { agent, from, all, limit } = options;
        const list = {
          path: '/v1/approvals',
          query: { agent, from, state: all ? 'all' : 'waiting' },
          cursor: 'cursor',
          pageSize: 100,
          rows: ({ approvals }: Page) => approvals,
        };
        const found = rowsOf(connect(options, context), list, limit);
        await showEach(context.stdout, found, {
          json: options.json === true,
          text: (approval) => approvalText(approval, context.stdout),
          empty: 'nothing waits for a person',
        });
        return 0;
      }),
    );
}
