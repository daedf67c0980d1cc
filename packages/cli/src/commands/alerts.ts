import type { Alert, Json } from '@mandate/schemas';
import { type Command, Option } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { WrongUse } from '../exit-codes.ts';
import { counted } from '../output/for-people.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, showRows, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

type Listed = Omit<Alert, 'webhooks' | 'quiet'> & {
  event: 'alert.raised' | 'alert.cleared';
  deliveries: readonly { webhook: string; state: string }[];
};
type Rule = {
  rule: string;
  on: boolean;
  settings: Readonly<Record<string, Json>>;
  webhooks: readonly string[];
};
type Told = { id: string; webhooks: readonly string[] };

export function alertsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Lists alerts and their rules, sends them again, and tests the webhooks: docs/alerts.md.',
  );
  listCommand(command, run);
  rulesCommand(command, run);
  replayCommand(command, run);
  testCommand(command, run);
}

function listCommand(alerts: Command, run: RunCommand): void {
  const list = alerts
    .command('list')
    .description('Lists alerts, the newest first, with their deliveries to webhooks. Scope audit.')
    .addOption(
      new Option('--state <state>', 'alerts with a delivery in this state').choices([
        'waiting',
        'undelivered',
      ]),
    )
    .option('--rule <rule>', 'alerts of this rule');
  withPage(list, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate alerts list\n  mandate alerts list --state undelivered --json | jq -r .id',
    )
    .action(({ state, rule, ...page }: PageOptions & { state?: string; rule?: string }) =>
      run((context) => {
        const list = { path: '/v1/alerts', query: { state, rule }, pageSize: 200, rows: 'alerts' };
        return showList(context, list, page, { columns, empty: 'no alerts' });
      }),
    );
}

function columns(nowMs: number | null): readonly Column<Listed>[] {
  return [
    { title: 'AT', of: ({ at }) => shownTime(at, nowMs) },
    { title: 'RULE', of: ({ rule }) => rule },
    { title: 'STATE', of: ({ event }) => event.replace('alert.', '') },
    { title: 'TOLD', of: told, cut: true },
    { title: 'ID', of: ({ id }) => id, keep: true },
    { title: 'WHAT', of: ({ message }) => message, keep: true, cut: true },
  ];
}

function told({ deliveries }: Listed): string {
  return deliveries
    .map(({ webhook, state }) => (state === 'delivered' ? webhook : `${webhook} (${state})`))
    .join(', ');
}

function rulesCommand(alerts: Command, run: RunCommand): void {
  alerts
    .command('rules')
    .description(
      'Lists the alert rules in force, with the names of the webhooks that get their alerts. Scope audit.',
    )
    .addHelpText(
      'after',
      "\nExamples:\n  mandate alerts rules\n  mandate alerts rules --json | jq -r 'select(.on) | .rule'",
    )
    .action(() =>
      run(async (context) => {
        const { rules } = await connect(context).get<{ rules: readonly Rule[] }>('/v1/alerts/rules');
        await showRows(context, rules, { columns: () => RULES, empty: 'no rules' });
        return 0;
      }),
    );
}

const RULES: readonly Column<Rule>[] = [
  { title: 'RULE', of: ({ rule }) => rule, keep: true },
  { title: 'STATE', of: ({ on }) => (on ? 'on' : 'off') },
  { title: 'TOLD', of: ({ webhooks }) => webhooks.join(', '), cut: true },
  { title: 'SETTINGS', of: settingsInWords, cut: true },
];

function settingsInWords({ settings }: Rule): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ');
}

function replayCommand(alerts: Command, run: RunCommand): void {
  alerts
    .command('replay')
    .description('Sends an alert again, or all alerts that could not be delivered. Scope operate.')
    .argument('[id]', 'the id of the alert, as `alerts list` shows it')
    .option('--all', 'all alerts that could not be delivered')
    .addHelpText(
      'after',
      '\nExamples:\n  mandate alerts replay alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48\n  mandate alerts replay --all',
    )
    .action((id: string | undefined, { all }: { all?: true }) =>
      run(async (context) => {
        if ((id === undefined) === (all === undefined))
          throw new WrongUse(
            'no alert is named, or one and --all',
            'Give an id or --all. `mandate alerts list` lists alerts.',
          );
        const api = connect(context);
        if (id === undefined) {
          const answer = await api.post<{ replayed: number; left: number }>('/v1/alerts/replay');
          return showAnswer(context, answer, () => {
            const left = answer.left === 0 ? '' : `; ${answer.left} are left: send them again after these`;
            return `${counted(answer.replayed, 'alert is', 'alerts are')} sent again${left}\n`;
          });
        }
        const answer = await api.post<Told>(`/v1/alerts/${encodeURIComponent(id)}/replay`);
        return showAnswer(context, answer, () => `${id} is sent again to ${answer.webhooks.join(', ')}\n`);
      }),
    );
}

function testCommand(alerts: Command, run: RunCommand): void {
  alerts
    .command('test')
    .description('Raises an alert without a cause, to see whether it arrives. Scope operate.')
    .addHelpText('after', '\nExample:\n  mandate alerts test && mandate alerts list --rule test')
    .action(() =>
      run(async (context) => {
        const answer = await connect(context).post<Told>('/v1/alerts/test');
        return showAnswer(context, answer, () => `${answer.id} is sent to ${answer.webhooks.join(', ')}\n`);
      }),
    );
}
