import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { momentBefore, someText, wholeNumber } from '../input/option-values.ts';
import { showRows } from '../output/show-rows.ts';
import type { Column } from '../output/table.ts';
import { rowsOf } from '../pages.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { agent?: string; from: string; all?: true; limit: number };

/** As GET /v1/approvals gives it. */
type Approval = {
  decisionId: string;
  agentId: string;
  actionId: string;
  tool: string | null;
  args: unknown;
  since: string;
  decided: { verdict: string; code: string } | null;
  answer: { answer: string; expiresAt: string | null } | null;
};
type Page = { approvals: readonly Approval[]; next: string | null };

export function approvalsCommand(command: Command, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  withConnection(
    command
      .description(
        'Lists deferred actions on which no other decision has fallen since, newest first. `mandate approve` and `mandate ' +
          'deny` answer them by their id or that of the decision; the agent then sends the same action again.',
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
        await showRows(context.stdout, rowsOf(connect(options, context), list, limit), {
          json: options.json === true,
          columns: COLUMNS,
          empty: 'nothing waits for a person',
        });
        return 0;
      }),
    );
}

const COLUMNS: readonly Column<Approval>[] = [
  { title: 'DECISION', of: ({ decisionId }) => decisionId },
  { title: 'SINCE', of: ({ since }) => since },
  { title: 'AGENT', of: ({ agentId }) => agentId },
  { title: 'TOOL', of: ({ tool }) => tool ?? '' },
  { title: 'ARGUMENTS', of: ({ args }) => shortened(JSON.stringify(args ?? {})) },
  { title: 'NOW', of: now },
];

function now({ answer, decided }: Approval): string {
  if (decided !== null) return `${decided.verdict} (${decided.code})`;
  if (answer === null) return '';
  return answer.expiresAt === null ? answer.answer : `${answer.answer} until ${answer.expiresAt}`;
}

const WIDTH = 60;

function shortened(text: string): string {
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}
