import { existsSync } from 'node:fs';
import type { AuditClient } from '@mandate/audit';
import { dataFolder } from '@mandate/runtime';
import { clickhouseSettings } from '@mandate/runtime/settings';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { tenantName, wholeNumber } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { showRows } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { write } from '../output/write.ts';
import { type FolderOptions, folderOf, withData } from './folder.ts';
import { settingsOfSource } from './servers.ts';

type Options = FolderOptions & { clickhouse?: string; keepMonths: number; tenant?: string; dryRun?: true };

/** Removes old months of the audit. It needs no API key: the user of ClickHouse sets what is allowed. */
export function auditCommand(command: Command, run: RunCommand): void {
  command.description('Works on the tables of the audit.');
  withData(command.command('prune'))
    .description(
      'Drops old months of decisions, settlements, dead letters and reads, at once and for good. Sums and reconcile then begin ' +
        'at the remaining months. Control events, the quarantine and the log stay.',
    )
    .requiredOption(
      '--keep-months <count>',
      'the newest months that stay; 1 is the month of today',
      wholeNumber({ min: 1, max: 1_200 }),
    )
    .option('--tenant <tenant>', 'only rows of this tenant, also its control events', tenantName)
    .option('--dry-run', 'only show what would go')
    .option('--clickhouse <url>', 'the server of the audit (MANDATE_CLICKHOUSE_URL)')
    .addHelpText(
      'after',
      `
On a server this needs a user like mandate_migrator of infra/clickhouse
(MANDATE_CLICKHOUSE_USER, _PASSWORD, _DATABASE). In a data folder the plane must
be stopped. The recorder itself drops what the retention of privacy.yaml names.

Examples:
  mandate audit prune --keep-months 24 --dry-run
  mandate audit prune --keep-months 24 --tenant acme`,
    )
    .action((options: Options) => run((context) => prune(options, context)));
}

async function prune(options: Options, context: CommandContext): Promise<ExitCode> {
  const { tenant, dryRun = false } = options;
  const { stdout, json } = context;
  const audit = await openTables(options, context);
  let old: readonly Old[];
  try {
    old = await (tenant === undefined
      ? pruneAll(audit, options, context.signal)
      : pruneTenant(audit, tenant, options, context.signal));
  } finally {
    await audit.close();
  }
  const rows = old.map((one) => ({ ...one, dropped: !dryRun }));
  await showRows(context, rows, { columns: () => COLUMNS, empty: 'nothing is that old' });
  const count = counted(
    old.reduce((sum, month) => sum + month.rows, 0),
    'row',
  );
  if (!json && old.length > 0) await write(stdout, `${count} ${dryRun ? 'would be dropped' : 'dropped'}\n`);
  return 0;
}

/** A month that is too old: its table, and its number of rows there. */
type Old = { table: string; month: string; rows: number; tenant?: string };

async function pruneAll(
  audit: AuditClient,
  { keepMonths, dryRun }: Options,
  signal: AbortSignal,
): Promise<readonly Old[]> {
  const { dropMonths, oldMonths } = await import('@mandate/audit');
  const months = await oldMonths(audit, { keepMonths, nowMs: Date.now() });
  signal.throwIfAborted();
  if (!dryRun) await dropMonths(audit, months);
  return months;
}

async function pruneTenant(
  audit: AuditClient,
  tenant: string,
  { keepMonths, dryRun }: Options,
  signal: AbortSignal,
): Promise<readonly Old[]> {
  const { dropPastRows, isSums, newestFromMs, pastRows } = await import('@mandate/audit');
  const nowMs = Date.now();
  const fromMs = newestFromMs(keepMonths, nowMs);
  const asked = { nowMs, keptFrom: (owner: string) => (owner === tenant ? fromMs : null) };
  const past = dryRun ? await pastRows(audit, asked) : await dropPastRows(audit, { ...asked, signal });
  // Tables of sums are left out of the list, because sums are deleted together with their rows.
  return past.filter(({ table }) => !isSums(table)).map(({ owner, ...rows }) => ({ ...rows, tenant: owner }));
}

/** Opens tables only if they exist. Otherwise a misspelt folder would get new, empty tables. */
async function openTables(options: Options, context: CommandContext): Promise<AuditClient> {
  const settings = settingsOfSource(clickhouseSettings, options, context.env);
  const { openEmbeddedAudit, openServerAsItIs } = await import('@mandate/audit');
  if (settings.CLICKHOUSE_URL !== undefined) return openServerAsItIs(settings, settings.CLICKHOUSE_URL);
  const path = dataFolder(folderOf(options, context)).audit;
  if (existsSync(path)) return openEmbeddedAudit({ path });
  throw new WrongUse(
    `there is no audit at ${path}`,
    'Name the data folder of the plane with --data, or its server with --clickhouse or MANDATE_CLICKHOUSE_URL.',
  );
}

const COLUMNS: readonly Column<Old>[] = [
  { title: 'MONTH', of: ({ month }) => `${month.slice(0, 4)}-${month.slice(4)}`, keep: true },
  { title: 'TABLE', of: ({ table }) => table, keep: true },
  { title: 'ROWS', of: ({ rows }) => String(rows), align: 'right' },
];
