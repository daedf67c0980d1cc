import type { Command } from 'commander';
import type { Output, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { relativeTime, shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import { type Column, paint } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

/** A kill, as GET /v1/audit/kills returns it. */
type Kill = {
  id: string;
  scope: 'agent' | 'subtree' | 'tenant' | 'all';
  agentId: string | null;
  by: string | null;
  reason: string;
  killedAt: string;
  open: readonly { agentId: string; actionId: string }[];
  openCount: number | null;
  revived: { by: string; reason: string; at: string } | null;
};

/** A kill switch that is on, as GET /v1/kills returns it. */
type Standing = {
  target: { scope: Kill['scope']; agentId?: string };
  by: string | null;
  reason: string;
  since: string;
  sequence: number | null;
  commandId: string | null;
};
type ListOptions = PageOptions & { agent?: string; inForce?: true };

export function killsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Lists and shows kills: who pulled which kill switch, why, and what ended the kill. Alone: `kills now`.',
  );
  nowCommand(command, run);
  listCommand(command, run);
  showCommand(command, run);
}

function nowCommand(kills: Command, run: RunCommand): void {
  const now = kills
    .command('now', { isDefault: true })
    .description('Lists the kill switches that are on now, as the ledger has them. Scope audit or operate.');
  withPage(now)
    .addHelpText('after', '\nExamples:\n  mandate kills\n  mandate kills now --json | jq -r .target.agentId')
    .action((page: PageOptions) =>
      run((context) =>
        showList(context, { path: '/v1/kills', rows: 'kills' }, page, {
          columns: columnsOfNow,
          empty: 'no kill switch is on',
          rest: '`mandate kills show ID` and --json have all',
        }),
      ),
    );
}

function columnsOfNow(nowMs: number | null): readonly Column<Standing>[] {
  return [
    { title: 'STOPS', of: ({ target }) => stops(target.scope, target.agentId), keep: true, cut: true },
    { title: 'SINCE', of: ({ since }) => shownTime(since, nowMs) },
    { title: 'BY', of: ({ by }) => by ?? '', cut: true },
    { title: 'REASON', of: ({ reason }) => reason, keep: true, cut: true },
    {
      title: 'NO ALLOW AFTER',
      of: ({ sequence }) => (sequence === null ? '' : String(sequence)),
      extra: true,
    },
    { title: 'ID', of: ({ commandId }) => commandId ?? '', extra: true },
  ];
}

function listCommand(kills: Command, run: RunCommand): void {
  const list = kills
    .command('list')
    .description('Lists kills, the newest first. Scope audit.')
    .option('--agent <id>', 'kills of this agent, alone or with its descendants', someText)
    .option('--in-force', 'only kills that no revive ended');
  withPage(list)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate kills list --in-force\n  mandate kills list --agent researcher --json | jq -r .id',
    )
    .action(({ agent, inForce, ...page }: ListOptions) =>
      run((context) => {
        const query = { agent, state: inForce ? 'in-force' : 'all' };
        return showList(context, { path: '/v1/audit/kills', query, rows: 'kills' }, page, {
          columns,
          empty: 'no kill is on record',
          rest: '`mandate kills show ID` and --json have all',
        });
      }),
    );
}

function showCommand(kills: Command, run: RunCommand): void {
  kills
    .command('show')
    .description('Shows a kill: who pulled it, why, what could still run, and who ended it. Scope audit.')
    .argument('<id>', 'the id of the kill, as `kills list` shows it', someText)
    .addHelpText('after', '\nExample:\n  mandate kills show kil_0mefd8h3c06b1f7c1c9be1d2a4f5')
    .action((id: string) =>
      run(async (context) => {
        const kill = await connect(context).get<Kill>(`/v1/audit/kills/${encodeURIComponent(id)}`);
        return showAnswer(context, kill, () => textOf(kill, context.stdout, Date.now()));
      }),
    );
}

function columns(nowMs: number | null): readonly Column<Kill>[] {
  return [
    { title: 'ID', of: ({ id }) => id, keep: true },
    { title: 'STOPS', of: targetOf, cut: true },
    { title: 'STATE', of: ({ revived }) => (revived === null ? 'in force' : 'revived') },
    { title: 'KILLED', of: ({ killedAt }) => shownTime(killedAt, nowMs) },
    { title: 'BY', of: ({ by }) => by ?? '', cut: true },
    { title: 'REASON', of: ({ reason }) => reason, keep: true, cut: true },
    { title: 'REVIVED BY', of: ({ revived }) => revived?.by ?? '', cut: true, extra: true },
  ];
}

function targetOf({ scope, agentId }: Kill): string {
  return stops(scope, agentId);
}

function stops(scope: Kill['scope'], agentId?: string | null): string {
  if (scope === 'all') return 'everything';
  if (scope === 'tenant') return 'the tenant';
  return scope === 'subtree' ? `${agentId} and its descendants` : (agentId ?? '');
}

function textOf(kill: Kill, stdout: Output, nowMs: number): string {
  const { id, by, reason, killedAt, open, openCount, revived } = kill;
  const at = (time: string) => `${time} (${relativeTime(Date.parse(time), nowMs)})`;
  const state =
    revived === null
      ? paint('red', 'in force', stdout)
      : printable(`revived ${at(revived.at)} by ${revived.by}: ${revived.reason}`);
  const count = openCount ?? open.length;
  const running = open.map(({ agentId, actionId }) => `  ${printable(agentId)}  ${printable(actionId)}`);
  const more = count > open.length ? [`  … and ${count - open.length} more`] : [];
  return [
    printable(`${id} stops ${targetOf(kill)}`),
    printable(`killed ${at(killedAt)} by ${by ?? 'an unnamed operator'}: ${reason}`),
    state,
    `${counted(count, 'allowed action')} could still run then`,
    ...running,
    ...more,
  ]
    .map((line) => `${line}\n`)
    .join('');
}
