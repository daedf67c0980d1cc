import { rowsOf } from '@mandate/client';
import type { Command } from 'commander';
import type { Output, RunCommand } from '../command-context.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import type { FittingColumn } from '../output/fit-columns.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { relativeTime, shownTime } from '../output/relative-time.ts';
import { nowOn } from '../output/show-fitted.ts';
import { showRows } from '../output/show-rows.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

/** As GET /v1/audit/kills gives it. */
type Kill = {
  id: string;
  scope: 'agent' | 'family' | 'tenant' | 'all';
  agentId: string | null;
  by: string | null;
  reason: string;
  killedAt: string;
  open: readonly { agentId: string; actionId: string }[];
  openCount: number | null;
  revived: { by: string; reason: string; at: string } | null;
};
type Page = { kills: readonly Kill[]; next: string | null };
type ListOptions = ConnectionOptions & { agent?: string; inForce?: true; limit: number };

export function killsCommand(command: Command, run: RunCommand): void {
  command.description('Lists who pulled which kill switch, why, and who ended that; shows one kill.');
  listCommand(command, run);
  showCommand(command, run);
}

function listCommand(kills: Command, run: RunCommand): void {
  const list = kills
    .command('list', { isDefault: true })
    .description('Lists kills, the newest first. `mandate kills` alone does the same. Scope audit.')
    .option('--agent <id>', 'of this agent, or of the family that it heads', someText)
    .option('--in-force', 'only those that no revive ended')
    .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000_000 }), 100)
    .addHelpText(
      'after',
      `
Examples:
  mandate kills --in-force
  mandate kills list --agent researcher --json | jq -r .id`,
    );
  withConnection(list).action(({ agent, inForce, limit, ...options }: ListOptions) =>
    run(async (context) => {
      const { stdout } = context;
      const page = {
        path: '/v1/audit/kills',
        query: { agent, state: inForce ? 'in-force' : 'all' },
        cursor: 'cursor',
        pageSize: 1_000,
        rows: ({ kills }: Page) => kills,
      };
      await showRows(stdout, rowsOf(connect(options, context), page, limit), {
        json: options.json === true,
        columns: columns(nowOn(stdout)),
        empty: 'no kill is on record',
        rest: '`mandate kills show ID` and --json have all',
      });
      return 0;
    }),
  );
}

function showCommand(kills: Command, run: RunCommand): void {
  const show = kills
    .command('show')
    .description('Shows one: who pulled it, why, what could still run, and who ended it. Scope audit.')
    .argument('<id>', 'as `mandate kills` shows it', someText)
    .addHelpText('after', '\nExample:\n  mandate kills show kil_0mefd8h3c06b1f7c1c9be1d2a4f5');
  withConnection(show).action((id: string, options: ConnectionOptions) =>
    run(async (context) => {
      const { stdout } = context;
      const kill = await connect(options, context).get<Kill>(`/v1/audit/kills/${encodeURIComponent(id)}`);
      if (options.json) await writeJsonLine(stdout, kill);
      else await write(stdout, textOf(kill, stdout, Date.now()));
      return 0;
    }),
  );
}

function columns(nowMs: number | null): readonly FittingColumn<Kill>[] {
  const foremost = { cuttable: false, foremost: true } as const;
  return [
    { title: 'ID', of: ({ id }) => id, ...foremost, rank: 0 },
    { title: 'STOPS', of: targetOf, ...foremost, rank: 1 },
    {
      title: 'STATE',
      of: ({ revived }) => (revived === null ? 'in force' : 'revived'),
      ...foremost,
      rank: 2,
    },
    { title: 'KILLED', of: ({ killedAt }) => shownTime(killedAt, nowMs), ...foremost, rank: 3 },
    { title: 'BY', of: ({ by }) => by ?? '', cuttable: true, foremost: true, rank: 5 },
    { title: 'REASON', of: ({ reason }) => reason, cuttable: true, foremost: true, rank: 4 },
    { title: 'REVIVED BY', of: ({ revived }) => revived?.by ?? '', cuttable: true, foremost: false, rank: 6 },
  ];
}

function targetOf({ scope, agentId }: Kill): string {
  if (scope === 'all') return 'everything';
  if (scope === 'tenant') return 'the tenant';
  return scope === 'family' ? `${agentId} and its family` : (agentId ?? '');
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
