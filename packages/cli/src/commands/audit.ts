import { existsSync } from 'node:fs';
import type { AuditClient } from '@mandate/audit';
import { dataFolder } from '@mandate/runtime';
import { clickhouseSettings, loadConfig, otherAreas } from '@mandate/runtime/settings';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { tenantName, wholeNumber } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { table } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type FolderOptions, folderOf, withFolder } from './folder.ts';

type Options = FolderOptions & { clickhouse?: string; keepMonths: number; tenant?: string; dryRun?: true };

/** Works on the audit's tables themselves, so it needs no API key: the user of ClickHouse says what one may. */
export function auditCommand(command: Command, run: RunCommand): void {
  command.description('Works on the tables of the audit.');
  withFolder(
    command
      .command('prune')
      .description(
        'Drops old months of decisions, settlements, dead letters and reads, at once and for good: no answer knows them any ' +
          'more, sums begin where the tables do, and reconcile leaves aside what is older. Control events and the quarantine ' +
          'stay; so does the log.',
      )
      .requiredOption(
        '--keep-months <count>',
        'how many of the newest months stay; the one that is running is the first of them',
        wholeNumber({ min: 1, max: 1_200 }),
      )
      .option(
        '--tenant <tenant>',
        'of one tenant alone, its control events too: its rows are taken out of months that others share',
        tenantName,
      )
      .option('--dry-run', 'only say what would go')
      .option('--clickhouse <url>', 'the server of the audit (MANDATE_CLICKHOUSE_URL, else the data folder)'),
  )
    .addHelpText(
      'after',
      `
On a server this takes a user like mandate_migrator of infra/clickhouse (MANDATE_CLICKHOUSE_USER, _PASSWORD, _DATABASE). In
a data folder the plane must be stopped.

What the retention of a privacy.yaml asks for the recorder does by itself.

Examples:
  mandate audit prune --keep-months 24 --dry-run
  mandate audit prune --keep-months 24
  mandate audit prune --keep-months 24 --tenant acme`,
    )
    .action((options: Options) => run((context) => prune(options, context)));
}

async function prune(options: Options, context: CommandContext): Promise<ExitCode> {
  const { tenant, dryRun = false, json } = options;
  const { stdout } = context;
  const audit = await openTables(options, context);
  let old: readonly Old[];
  try {
    old = await (tenant === undefined
      ? pruneAll(audit, options, context.signal)
      : pruneTenant(audit, tenant, options, context.signal));
  } finally {
    await audit.close();
  }
  if (json) for (const one of old) await writeJsonLine(stdout, { ...one, dropped: !dryRun });
  else await write(stdout, textOf(old, dryRun, stdout));
  return 0;
}

/** Rows of a table and a month that are too old. */
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
  // Sums follow the rows that they sum up, and are not listed as rows of their own.
  return past.filter(({ table }) => !isSums(table)).map(({ owner, ...rows }) => ({ ...rows, tenant: owner }));
}

/** Tables that must exist: pruning what was never recorded is a slip, and would make new ones. */
async function openTables({ data, clickhouse }: Options, context: CommandContext): Promise<AuditClient> {
  const given = clickhouse === undefined ? {} : { MANDATE_CLICKHOUSE_URL: clickhouse };
  const settings = loadConfig(
    clickhouseSettings,
    { ...context.env, ...given },
    { otherAreas: otherAreas(clickhouseSettings) },
  );
  const { openEmbeddedAudit, openServerAsItIs } = await import('@mandate/audit');
  if (settings.CLICKHOUSE_URL !== undefined) return openServerAsItIs(settings, settings.CLICKHOUSE_URL);
  const path = dataFolder(folderOf(data, context)).audit;
  if (existsSync(path)) return openEmbeddedAudit({ path });
  throw new CommandFailure(
    2,
    `there is no audit at ${path}`,
    'Name the data folder of the plane with --data, or its server with --clickhouse or MANDATE_CLICKHOUSE_URL.',
  );
}

function textOf(months: readonly Old[], dryRun: boolean, stdout: CommandContext['stdout']): string {
  if (months.length === 0) return 'nothing is so old\n';
  const rows = months.reduce((sum, month) => sum + month.rows, 0);
  const done = dryRun ? 'would be dropped' : 'dropped';
  return `${table(months, COLUMNS, stdout)}${counted(rows, 'row')} ${done}\n`;
}

const COLUMNS = [
  { title: 'MONTH', of: ({ month }: Old) => `${month.slice(0, 4)}-${month.slice(4)}` },
  { title: 'TABLE', of: ({ table }: Old) => table },
  { title: 'ROWS', of: ({ rows }: Old) => String(rows), align: 'right' as const },
];
