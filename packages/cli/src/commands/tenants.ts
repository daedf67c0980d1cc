import { rowsOf } from '@mandate/client';
import type { TenantDocument } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import type { FittingColumn } from '../output/fit-columns.ts';
import { shownTime } from '../output/relative-time.ts';
import { nowOn } from '../output/show-fitted.ts';
import { showRows } from '../output/show-rows.ts';
import { type ConnectionOptions, connect, withConnection, withControl } from './connection.ts';
import { closeCommand, limitCommand, openCommand, showCommand, type Tenant } from './one-tenant.ts';

type Page = { tenants: readonly Tenant[]; next: string | null };

export function tenantsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Opens, limits and closes tenants; a key with the scope operate:all is needed: docs/policies.md.',
  );
  listCommand(command, run);
  showCommand(command, run);
  openCommand(command, run);
  limitCommand(command, run);
  closeCommand(command, run);
}

function listCommand(tenants: Command, run: RunCommand): void {
  const list = tenants
    .command('list')
    .description('Shows those that were opened, closed ones among them.')
    .addHelpText(
      'after',
      `
Examples:
  mandate tenants list
  mandate tenants list --json | jq -r 'select(.closedAt) | .tenant.id'`,
    );
  withControl(withConnection(list)).action((options: ConnectionOptions) =>
    run(async (context) => {
      const { stdout } = context;
      const rows = rowsOf(connect(options, context), {
        path: '/v1/tenants',
        cursor: 'cursor',
        pageSize: 1_000,
        rows: ({ tenants }: Page) => tenants,
      });
      await showRows(stdout, rows, {
        json: options.json === true,
        columns: columns(nowOn(stdout)),
        empty: 'no tenant was opened',
        rest: '--json has all',
      });
      return 0;
    }),
  );
}

function columns(nowMs: number | null): readonly FittingColumn<Tenant>[] {
  const foremost = { cuttable: false, foremost: true } as const;
  const last = { cuttable: true, foremost: true } as const;
  return [
    { title: 'TENANT', of: ({ tenant }) => tenant.id, ...foremost, rank: 0 },
    {
      title: 'STATE',
      of: ({ closedAt }) => (closedAt === null ? 'open' : `closed ${shownTime(closedAt, nowMs)}`),
      ...foremost,
      rank: 1,
    },
    { title: 'LIMITS', of: ({ tenant }) => limitsOf(tenant), ...last, rank: 2 },
    { title: 'BOUNDS', of: ({ tenant }) => Object.keys(tenant.bounds ?? {}).join(', '), ...last, rank: 3 },
    { title: 'NAME', of: ({ tenant }) => tenant.name ?? '', ...last, rank: 4 },
  ];
}

function limitsOf({ limits = {} }: TenantDocument): string {
  return Object.entries(limits)
    .map(([what, most]) => `${what} ${most}`)
    .join(', ');
}
