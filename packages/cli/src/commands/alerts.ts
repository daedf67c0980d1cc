import { rowsOf } from '@mandate/client';
import type { Alert } from '@mandate/schemas';
import { type Command, Option } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { wholeNumber } from '../input/option-values.ts';
import type { FittingColumn } from '../output/fit-columns.ts';
import { counted } from '../output/for-people.ts';
import { shownTime } from '../output/relative-time.ts';
import { nowOn } from '../output/show-fitted.ts';
import { showRows } from '../output/show-rows.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withAlerter, withConnection } from './connection.ts';

type Listed = Omit<Alert, 'webhooks' | 'quiet'> & {
  event: 'alert.raised' | 'alert.cleared';
  deliveries: readonly { webhook: string; state: string }[];
};
type Page = { alerts: readonly Listed[]; next: string | null };

const PAGE = 200;

export function alertsCommand(command: Command, run: RunCommand): void {
  command.description('Works on what people were told of: docs/alerts.md.');
  listCommand(command, run);
  replayCommand(command, run);
  testCommand(command, run);
}

function listCommand(alerts: Command, run: RunCommand): void {
  const list = alerts
    .command('list')
    .description('Shows the newest, with what became of each at its webhooks. Scope audit.')
    .addOption(
      new Option('--state <state>', 'only those with such a delivery').choices(['waiting', 'undelivered']),
    )
    .option('--rule <rule>', 'only those of this rule')
    .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000_000 }), 50)
    .addHelpText(
      'after',
      `
Examples:
  mandate alerts list
  mandate alerts list --state undelivered --json | jq -r .id`,
    );
  withAlerter(withConnection(list)).action(
    ({
      limit,
      state,
      rule,
      ...options
    }: ConnectionOptions & { limit: number; state?: string; rule?: string }) =>
      run(async (context) => {
        const rows = rowsOf(
          connect(options, context),
          {
            path: '/v1/alerts',
            query: { state, rule },
            cursor: 'cursor',
            pageSize: PAGE,
            rows: ({ alerts }: Page) => alerts,
          },
          limit,
        );
        await showRows(context.stdout, rows, {
          json: options.json === true,
          columns: columns(nowOn(context.stdout)),
          empty: 'no alerts',
          rest: '--json has all',
        });
        return 0;
      }),
  );
}

/** The id last, which is as long as half a terminal. */
function columns(nowMs: number | null): readonly FittingColumn<Listed>[] {
  const foremost = { cuttable: false, foremost: true } as const;
  return [
    {
      title: 'AT',
      of: ({ at }) => shownTime(at, nowMs),
      ...foremost,
      rank: 0,
    },
    { title: 'RULE', of: ({ rule }) => rule, ...foremost, rank: 1 },
    { title: 'STATE', of: ({ event }) => event.replace('alert.', ''), ...foremost, rank: 2 },
    { title: 'TOLD', of: told, cuttable: true, foremost: true, rank: 3 },
    { title: 'ID', of: ({ id }) => id, cuttable: false, foremost: false, rank: 5 },
    { title: 'WHAT', of: ({ message }) => message, cuttable: true, foremost: true, rank: 4 },
  ];
}

function told({ deliveries }: Listed): string {
  return deliveries
    .map(({ webhook, state }) => (state === 'delivered' ? webhook : `${webhook} (${state})`))
    .join(', ');
}

function replayCommand(alerts: Command, run: RunCommand): void {
  const replay = alerts
    .command('replay')
    .description('Sends an alert again, or all that could not be delivered. Scope operate.')
    .argument('[id]', 'as `alerts list` shows it')
    .option('--all', 'all that could not be delivered')
    .addHelpText(
      'after',
      `
Examples:
  mandate alerts replay alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48
  mandate alerts replay --all`,
    );
  withAlerter(withConnection(replay)).action(
    (id: string | undefined, { all, ...options }: ConnectionOptions & { all?: true }) =>
      run(async (context) => {
        if ((id === undefined) === (all === undefined)) {
          throw new CommandFailure(
            2,
            'say which alert to send again: its id, or --all',
            '`mandate alerts list` shows them.',
          );
        }
        const api = connect(options, context);
        const { stdout } = context;
        if (id === undefined) {
          const answer = await api.post<{ replayed: number; left: number }>('/v1/alerts/replay');
          if (options.json) await writeJsonLine(stdout, answer);
          else {
            const left = answer.left === 0 ? '' : `; ${answer.left} are left: send them again after these`;
            await write(stdout, `${counted(answer.replayed, 'alert is', 'alerts are')} sent again${left}\n`);
          }
        } else {
          const answer = await api.post<Told>(`/v1/alerts/${encodeURIComponent(id)}/replay`);
          if (options.json) await writeJsonLine(stdout, answer);
          else await write(stdout, `${id} is sent again to ${answer.webhooks.join(', ')}\n`);
        }
        return 0;
      }),
  );
}

type Told = { id: string; webhooks: readonly string[] };

function testCommand(alerts: Command, run: RunCommand): void {
  const test = alerts
    .command('test')
    .description('Raises an alert that means nothing, to see whether it arrives. Scope operate.')
    .addHelpText('after', '\nExample:\n  mandate alerts test && mandate alerts list --rule test');
  withAlerter(withConnection(test)).action((options: ConnectionOptions) =>
    run(async (context) => {
      const answer = await connect(options, context).post<Told>('/v1/alerts/test');
      if (options.json) await writeJsonLine(context.stdout, answer);
      else await write(context.stdout, `${answer.id} is sent to ${answer.webhooks.join(', ')}\n`);
      return 0;
    }),
  );
}
