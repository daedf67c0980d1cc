import type { TenantDocument } from '@mandate/schemas';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { nullIf } from '../api-failure.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure } from '../exit-codes.ts';
import { someText, tenantName } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { printableLines } from '../output/printable.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { widerLines } from '../output/wider-lines.ts';
import { showAnswer, write } from '../output/write.ts';
import { mustSaySomething, type TenantOptions, tenantOf, withTenant } from './tenant-options.ts';

export type Tenant = { revision: number; tenant: TenantDocument; closedAt: string | null };
type Counted = Tenant & { holds: Readonly<Record<string, number>>; widens?: readonly string[] };
type Opened = Counted & { key: { key: string } | null };
type Reasoned = DryRun & { reason?: string };

const WHICH = 'the id of the tenant';

export function showCommand(tenants: Command, run: RunCommand): void {
  tenants
    .command('show')
    .description(
      'Shows a tenant, and how much is in it. For the own tenant the scope audit or author is enough.',
    )
    .argument('<tenant>', WHICH, tenantName)
    .addHelpText('after', '\nExample:\n  mandate tenants show acme')
    .action((id: string) =>
      run(async (context) => {
        const shown = await connect(context).get<Counted>(pathOf(id));
        return showAnswer(context, shown, () => textOf(shown));
      }),
    );
}

function textOf({ tenant, closedAt, holds }: Counted): string {
  const { version: _, ...document } = tenant;
  const state = closedAt === null ? 'open' : `closed ${closedAt}`;
  return printableLines(stringify({ ...document, state, holds }, { lineWidth: 0 }));
}

export function openCommand(tenants: Command, run: RunCommand): void {
  const open = withDryRun(tenants.command('open'))
    .description(
      'Opens a tenant and prints the key of its first admin, once. Or opens a closed tenant again.',
    )
    .argument('<tenant>', WHICH, tenantName)
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
Examples:
  mandate tenants open acme --agents 500 --limits contract.yaml
  mandate tenants open acme --reason "the invoice was paid"`,
    );
  withTenant(open).action((id: string, options: Reasoned & TenantOptions) =>
    run(async (context) => {
      const api = connect(context);
      const stands = await nullIf('TENANT_NOT_FOUND', api.get<Counted>(pathOf(id)));
      if (stands?.closedAt === null)
        throw new CommandFailure(1, `${id} is open already`, '`mandate tenants set` changes it.');
      const body = await asked(stands?.tenant ?? { version: 1, id }, options, context);
      const query = { reason: options.reason, dryRun: options.dryRun };
      if (stands !== null) {
        const again = await api.put<Counted>(pathOf(id), body, { query, revision: stands.revision });
        return done(context, again, `opened ${id} again`);
      }
      const opened = await api.post<Opened>('/v1/tenants', body, { query });
      const { key } = opened;
      if ('dryRun' in opened || key === null) return done(context, opened, `opened ${id}`);
      const note = `opened ${id}; the key is for its first admin, and is shown only now\n`;
      return showAnswer(context, opened, () => `${key.key}\n`, note);
    }),
  );
}

/** Returns the new document of the tenant. Warns about limits that are probably mistakes. */
async function asked(
  before: TenantDocument,
  options: TenantOptions,
  { stderr }: CommandContext,
): Promise<TenantDocument> {
  const doubts: string[] = [];
  const document = tenantOf(before, options, doubts);
  await write(stderr, warningsText(doubts, MAY_BE_MEANT));
  return document;
}

export function setCommand(tenants: Command, run: RunCommand): void {
  const set = withDryRun(tenants.command('set'))
    .description('Changes the named fields of an open tenant, and no others.')
    .argument('<tenant>', WHICH, tenantName)
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
A quota below what exists removes nothing. It only keeps more from being added.

Examples:
  mandate tenants set acme --agents 1000
  mandate tenants set acme --limits contract.yaml --reason "contract of 2027"`,
    );
  withTenant(set).action((id: string, options: Reasoned & TenantOptions) =>
    run(async (context) => {
      mustSaySomething(options);
      const api = connect(context);
      const { tenant, revision, closedAt } = await api.get<Counted>(pathOf(id));
      if (closedAt !== null)
        throw new CommandFailure(
          1,
          `${id} is closed`,
          'Open it again: `mandate tenants open` takes the same.',
        );
      const query = { reason: options.reason, dryRun: options.dryRun };
      const changed = await api.put<Counted>(pathOf(id), await asked(tenant, options, context), {
        query,
        revision,
      });
      return done(context, changed, `changed ${id}`);
    }),
  );
}

export function closeCommand(tenants: Command, run: RunCommand): void {
  const close = withDryRun(tenants.command('close'))
    .description('Closes a tenant: nothing is allowed or changed in it until it is opened again.')
    .argument('<tenant>', WHICH, tenantName)
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
Actions that run can still report their outcomes, and the audit can be read. To
stop the actions too, run \`mandate kill --tenant\` first, with a key of the
tenant.

Example:
  mandate tenants close acme --reason "the contract ended"`,
    );
  close.action((id: string, options: Reasoned) =>
    run(async (context) => {
      const query = { reason: options.reason, dryRun: options.dryRun };
      const request = connect(context).delete<Counted>(pathOf(id), { query });
      const closed = await nullIf('TENANT_CLOSED', request);
      if (closed === null)
        throw new CommandFailure(1, `${id} is closed already`, '`mandate tenants open` opens it again.');
      return done(context, closed, `closed ${id}`);
    }),
  );
}

function done(context: CommandContext, answer: Counted, what: string): Promise<0> {
  if ('dryRun' in answer) return showDryRun(context, answer);
  const lines = [what, ...widerLines(answer.widens ?? [], context.stdout)];
  return showAnswer(context, answer, () => lines.map((line) => `${line}\n`).join(''));
}

function pathOf(id: string): string {
  return `/v1/tenants/${id}`;
}
