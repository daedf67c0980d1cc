/** Commands on one tenant. */

import type { ApiClient } from '@mandate/client';
import type { TenantDocument } from '@mandate/schemas';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { ApiProblem } from '../api-failure.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { someText, tenantName } from '../input/option-values.ts';
import { printableLines } from '../output/printable.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { widerLines } from '../output/wider-lines.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection, withControl } from './connection.ts';
import { mustSaySomething, type TenantOptions, tenantOf, withTenant } from './tenant-options.ts';

export type Tenant = { revision: number; tenant: TenantDocument; closedAt: string | null };
type Counted = Tenant & { holds: Readonly<Record<string, number>>; widens?: readonly string[] };
type Opened = Counted & { key: { key: string } | null };
type Reasoned = ConnectionOptions & { reason?: string };

const WHICH = 'its id';

export function showCommand(tenants: Command, run: RunCommand): void {
  const show = tenants
    .command('show')
    .description('Shows one, and how much there is in it. Of one’s own audit or author will do.')
    .argument('<tenant>', WHICH, tenantName);
  withControl(withConnection(show)).action((id: string, options: ConnectionOptions) =>
    run(async (context) => {
      const shown = await connect(options, context).get<Counted>(pathOf(id));
      if (options.json) await writeJsonLine(context.stdout, shown);
      else await write(context.stdout, textOf(shown));
      return 0;
    }),
  );
}

function textOf({ tenant, closedAt, holds }: Counted): string {
  const { version: _, ...document } = tenant;
  const state = closedAt === null ? 'open' : `closed ${closedAt}`;
  return printableLines(stringify({ ...document, state, holds }, { lineWidth: 0 }));
}

export function openCommand(tenants: Command, run: RunCommand): void {
  const open = tenants
    .command('open')
    .description('Opens one and prints the key of its first admin, once; or opens again one that was closed.')
    .argument('<tenant>', WHICH, tenantName)
    .option('--reason <text>', 'why; goes on the record', someText)
    .addHelpText(
      'after',
      `
Examples:
  mandate tenants open acme --agents 500 --bounds contract.yaml
  mandate tenants open acme --reason "the invoice was paid"`,
    );
  withControl(withConnection(withTenant(open))).action((id: string, options: Reasoned & TenantOptions) =>
    run(async (context) => {
      const api = connect(options, context);
      const stands = await standing(api, id);
      if (stands?.closedAt === null)
        throw new CommandFailure(1, `${id} is open already`, '`mandate tenants limit` changes it.');
      const body = await asked(stands?.tenant ?? { version: 1, id }, options, context);
      const query = { reason: options.reason };
      if (stands !== null) {
        const again = await api.put<Counted>(pathOf(id), body, { query, revision: stands.revision });
        return done(context, options, again, `opened ${id} again`);
      }
      const opened = await api.post<Opened>('/v1/tenants', body, { query });
      if (options.json || opened.key === null) return done(context, options, opened, `opened ${id}`);
      await write(context.stdout, `${opened.key.key}\n`);
      // Beside the key, so that a script may take that as it stands.
      await write(context.stderr, `opened ${id}; the key is its first admin's, and is kept nowhere\n`);
      return 0;
    }),
  );
}

/** What the tenant is to be; warns of bounds that may not mean what they say. */
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

export function limitCommand(tenants: Command, run: RunCommand): void {
  const limit = tenants
    .command('limit')
    .description('Changes what is said of an open one, and leaves the rest of it as it is.')
    .argument('<tenant>', WHICH, tenantName)
    .option('--reason <text>', 'why; goes on the record', someText)
    .addHelpText(
      'after',
      `
Where there is more than a limit lets in, it stays, and nothing is added.

Examples:
  mandate tenants limit acme --agents 1000
  mandate tenants limit acme --bounds contract.yaml --reason "the contract of 2027"`,
    );
  withControl(withConnection(withTenant(limit))).action((id: string, options: Reasoned & TenantOptions) =>
    run(async (context) => {
      mustSaySomething(options);
      const api = connect(options, context);
      const { tenant, revision, closedAt } = await api.get<Counted>(pathOf(id));
      if (closedAt !== null)
        throw new CommandFailure(
          1,
          `${id} is closed`,
          'Open it again: `mandate tenants open` takes the same.',
        );
      const query = { reason: options.reason };
      const changed = await api.put<Counted>(pathOf(id), await asked(tenant, options, context), {
        query,
        revision,
      });
      return done(context, options, changed, `changed ${id}`);
    }),
  );
}

export function closeCommand(tenants: Command, run: RunCommand): void {
  const close = tenants
    .command('close')
    .description('Closes one: nothing is allowed in it, and nothing changed, until it is opened again.')
    .argument('<tenant>', WHICH, tenantName)
    .option('--reason <text>', 'why; goes on the record', someText)
    .addHelpText(
      'after',
      `
What runs may still report its outcome, and the record may be read. To stop what
runs as well, \`mandate kill --tenant\` first, with a key of the tenant.

Example:
  mandate tenants close acme --reason "the contract ended"`,
    );
  withControl(withConnection(close)).action((id: string, options: Reasoned) =>
    run(async (context) => {
      const query = { reason: options.reason };
      const closed = await connect(options, context)
        .delete<Counted>(pathOf(id), { query })
        .catch((error: unknown) => {
          if (!(error instanceof ApiProblem && error.code === 'TENANT_CLOSED')) throw error;
          throw new CommandFailure(1, `${id} is closed already`, '`mandate tenants open` opens it again.');
        });
      return done(context, options, closed, `closed ${id}`);
    }),
  );
}

async function done(
  { stdout }: CommandContext,
  { json }: ConnectionOptions,
  answer: Counted,
  what: string,
): Promise<0> {
  if (json) await writeJsonLine(stdout, answer);
  else
    await write(
      stdout,
      [what, ...widerLines(answer.widens ?? [], stdout)].map((line) => `${line}\n`).join(''),
    );
  return 0;
}

/** null: the tenant has no document. */
async function standing(api: ApiClient, id: string): Promise<Counted | null> {
  try {
    return await api.get<Counted>(pathOf(id));
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'TENANT_NOT_FOUND') return null;
    throw error;
  }
}

function pathOf(id: string): string {
  return `/v1/tenants/${id}`;
}
