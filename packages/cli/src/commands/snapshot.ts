import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataFolder, dataFolder, isMandateError } from '@mandate/runtime';
import { type KafkaSettings, kafkaSettings, loadConfig, otherAreas } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { durationMs, someText, wholeNumber } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printableLines } from '../output/printable.ts';
import { progressOn } from '../output/progress.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type FolderOptions, folderOf, withFolder } from './folder.ts';
import { serverSettings } from './servers.ts';

type Options = FolderOptions & { kafka?: string; after?: number; every?: number };

/** What the command says it did. `snapshot`: where it lies; null: none was needed. */
type Report = {
  snapshot: string | null;
  bytes: number;
  records: number;
  afterRecords: number;
  tookMs: number;
};

export function snapshotCommand(command: Command, run: RunCommand): void {
  withFolder(
    command.description(
      'Folds the decisions behind the newest snapshot of a log, on Kafka or in a file of this machine, in a process of its ' +
        'own, and takes a new one where they are many. A ledger that is lost, or a plane that starts, then folds what came ' +
        'after it and no more. It may run beside a plane; no decision waits for it.',
    ),
  )
    .option(
      '--kafka <brokers>',
      'the log on Kafka: host:port, several between commas (MANDATE_KAFKA_BROKERS, else a file in the data folder)',
      someText,
    )
    .option(
      '--after <records>',
      'how many must lie behind the newest (else 50000, or a quarter of the actions that it holds where that is more)',
      wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, unit: 'records' }),
    )
    .option(
      '--every <duration>',
      'do it again and again until SIGTERM; a log that is away is then waited for',
      durationMs({ min: 1_000, max: 7 * 24 * 3_600_000 }),
    )
    .addHelpText(
      'after',
      `
Exit code 0 whether or not a new one was needed.

Examples:
  mandate snapshot --kafka k1:9092,k2:9092
  mandate snapshot --every 15m --json
  mandate snapshot --data /var/lib/mandate --after 1`,
    )
    .action((options: Options) => run((context) => snapshot(options, context)));
}

async function snapshot(options: Options, context: CommandContext): Promise<ExitCode> {
  const env = { ...context.env, ...serverSettings(options) };
  const settings = loadConfig(kafkaSettings, env, { otherAreas: otherAreas(kafkaSettings) });
  const folder = dataFolder(folderOf(options.data, context));
  if (settings.KAFKA_BROKERS === undefined && !existsSync(folder.log)) {
    throw new CommandFailure(
      2,
      `there is no log at ${folder.log}`,
      'Name brokers with --kafka, or the data folder of a plane with --data.',
    );
  }
  const taker = await openTaker(settings, folder, options, context);
  try {
    if (options.every === undefined) await say(await taker.take(), options, context);
    else await takeEvery(options.every, taker, options, context);
    return 0;
  } finally {
    await taker.close();
  }
}

type Taker = { take(): Promise<Report>; close(): Promise<void> };

async function openTaker(
  settings: KafkaSettings,
  folder: DataFolder,
  { after: afterRecords }: Options,
  { stderr, signal }: CommandContext,
): Promise<Taker> {
  const { openLog, openSnapshots } = await import('@mandate/bus');
  const { takeSnapshot } = await import('@mandate/ledger-log');
  const log = createLogger({ name: 'snapshot', level: 'warn' });
  // How long requests are kept is for the plane to say.
  const bus = await openLog(settings, { path: folder.log, log, retentionMs: {} });
  const snapshots = openSnapshots(settings, bus, { topic: TOPICS.snapshots, path: folder.snapshot });
  const progress = progressOn(stderr);
  return {
    async take() {
      const startedMs = performance.now();
      try {
        const { saved, ...found } = await takeSnapshot(
          { bus, log, snapshots, afterRecords, signal },
          (records) => {
            signal.throwIfAborted();
            progress.show(`${counted(records, 'record')} folded`);
          },
        );
        const tookMs = Math.round(performance.now() - startedMs);
        return { snapshot: saved?.name ?? null, bytes: saved?.bytes ?? 0, ...found, tookMs };
      } finally {
        progress.clear();
      }
    },
    close: () => bus.close(),
  };
}

/** Until it is asked to stop, which ends it well whatever it was at: nothing is left half done. */
async function takeEvery(
  everyMs: number,
  taker: Taker,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { stderr, signal } = context;
  while (!signal.aborted) {
    try {
      await say(await taker.take(), options, context);
    } catch (error) {
      if (signal.aborted) return;
      if (!isMandateError(error) || !error.retryable) throw error;
      await write(
        stderr,
        printableLines(`mandate: ${error.message}\n  It is tried again in ${everyMs / 1_000} s.\n`),
      );
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

async function say(report: Report, { json }: Options, { stdout }: CommandContext): Promise<void> {
  if (json) return writeJsonLine(stdout, report);
  await write(stdout, `${text(report)}\n`);
}

function text({ snapshot, bytes, records, afterRecords, tookMs }: Report): string {
  if (snapshot === null) {
    return `no snapshot is needed: ${records} records lie behind the newest, ${afterRecords} would be worth one`;
  }
  return `${snapshot} taken: ${records} records folded, ${bytes} bytes, ${tookMs} ms`;
}
