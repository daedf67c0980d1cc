import type { TenantDocument } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { closeCommand, openCommand, setCommand, showCommand, type Tenant } from './one-tenant.ts';

export function tenantsCommand(command: Command, run: RunCommand): void {
  command.description('Opens, changes and closes tenants: docs/policies.md. Scope operate:all.');
  listCommand(command, run);
  showCommand(command, run);
  openCommand(command, run);
  setCommand(command, run);
  closeCommand(command, run);
}

function listCommand(tenants: Command, run: RunCommand): void {
  withPage(tenants.command('list'))
    .description('Lists tenants, with the closed ones.')
    .addHelpText(
      'after',
      `
Examples:
  mandate tenants list
  mandate tenants list --json | jq -r 'select(.closedAt) | .tenant.id'`,
    )
    .action((page: PageOptions) =>
      run((context) => {
        const list = { path: '/v1/tenants', rows: 'tenants' };
        return showList(context, list, page, { columns, empty: 'no tenant was opened' });
      }),
    );
}

function columns(nowMs: number | null): readonly Column<Tenant>[] {
  return [
    { title: 'TENANT', of: ({ tenant }) => tenant.id, keep: true },
    {
      title: 'STATE',
      of: ({ closedAt }) => (closedAt === null ? 'open' : `closed ${shownTime(closedAt, nowMs)}`),
    },
    { title: 'QUOTAS', of: ({ tenant }) => quotasOf(tenant), cut: true },
    { title: 'LIMITS', of: ({ tenant }) => Object.keys(tenant.limits ?? {}).join(', '), cut: true },
    { title: 'NAME', of: ({ tenant }) => tenant.name ?? '', cut: true },
  ];
}

function quotasOf({ quotas = {} }: TenantDocument): string {
  return Object.entries(quotas)
    .map(([what, most]) => `${what} ${typeof most === 'object' ? JSON.stringify(most) : most}`)
    .join(', ');
}
