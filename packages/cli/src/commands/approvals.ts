import type { Command } from 'commander';
import { type Waiting, waitingActions } from '../approvals/waiting-actions.ts';
import type { RunCommand } from '../command-context.ts';
import { momentBefore, someText, wholeNumber } from '../input/option-values.ts';
import { showRows } from '../output/show-rows.ts';
import type { Column } from '../output/table.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { agent?: string; from: string; limit: number };

export function approvalsCommand(command: Command, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  withConnection(
    command
      .description(
        'Lists deferred actions on which no other decision has fallen since, newest first. `mandate approve` and `mandate ' +
          'deny` answer them by the id of the decision; the agent then sends the same action again.',
      )
      .option('--agent <id>', 'of this agent', someText)
      .option(
        '--from <time>',
        'deferred since: RFC 3339, a day, or how long ago: 15m, 2h, 7d',
        moment,
        moment('1d'),
      )
      .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000 }), 50),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate approvals
  mandate approvals --from 7d --json | jq .action.args`,
    )
    .action((options: Options) =>
      run(async (context) => {
        const { agent, from, limit } = options;
        const waiting = waitingActions(connect(options, context), { agent, from }, limit);
        await showRows(context.stdout, waiting, {
          json: options.json === true,
          columns: COLUMNS,
          empty: 'nothing waits for a person',
        });
        return 0;
      }),
    );
}

const COLUMNS: readonly Column<Waiting>[] = [
  { title: 'DECISION', of: ({ id }) => id },
  { title: 'SINCE', of: ({ decidedAt }) => decidedAt },
  { title: 'AGENT', of: ({ agentId }) => agentId },
  { title: 'TOOL', of: ({ tool }) => tool ?? '' },
  { title: 'ARGUMENTS', of: ({ action }) => shortened(JSON.stringify(action.args ?? {})) },
];

const WIDTH = 60;

function shortened(text: string): string {
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}
