import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataFolder, dataFolder, isMandateError } from '@mandate/runtime';
import { type KafkaSettings, kafkaSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { durationMs, someText, wholeNumber } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printableLines } from '../output/printable.ts';
import { progressOn } from '../output/progress.ts';
import { showAnswer, write } from '../output/write.ts';
import { type FolderOptions, folderOf, withData } from './folder.ts';
import { settingsOfSource } from './servers.ts';

type Options = FolderOptions & { kafka?: string; after?: number; every?: number };

/** The result of the command. `snapshot`: the name of the new snapshot; null if none was needed. */
type Report = {
  snapshot: string | null;
  bytes: number;
  records: number;
  afterRecords: number;
  tookMs: number;
};

export function snapshotCommand(command: Command, run: RunCommand): void {
  withData(command)
    .description(
      'Takes a snapshot of a log, on Kafka or in a file of this machine, if many decisions came after the newest snapshot. A ' +
        'ledger that is rebuilt then reads only what came after the snapshot. The command can run beside a plane, and no ' +
        'decision waits for it.',
    )
    .option('--kafka <brokers>', 'the log on Kafka: host:port,host:port (MANDATE_KAFKA_BROKERS)', someText)
    .option(
      '--after <records>',
      'take one after this many records (default 50000, or a quarter of the deliveries in the newest if that is more)',
      wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, unit: 'records' }),
    )
    .option(
      '--every <duration>',
      'repeat until SIGTERM, and wait for the log if it does not answer',
      durationMs({ min: 1_000, max: 7 * 24 * 3_600_000 }),
    )
    .addHelpText(
      'after',
      `
Exit code 0 if a snapshot was taken, or none was needed.

Examples:
  mandate snapshot --kafka k1:9092,k2:9092
  mandate snapshot --every 15m --json
  mandate snapshot --data /var/lib/mandate --after 1`,
    )
    .action((options: Options) => run((context) => snapshot(options, context)));
}

async function snapshot(options: Options, context: CommandContext): Promise<ExitCode> {
  const settings = settingsOfSource(kafkaSettings, options, context.env);
  const folder = dataFolder(folderOf(options, context));
  if (settings.KAFKA_BROKERS === undefined && !existsSync(folder.log)) {
    throw new WrongUse(
      `there is no log at ${folder.log}`,
      'Name brokers with --kafka, or the data folder of a plane with --data.',
    );
  }
  const taker = await openTaker(settings, folder, options, context);
  try {
    if (options.every === undefined) await say(await taker.take(), context);
    else await takeEvery(options.every, taker, context);
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
  // No retention is given, because the plane sets how long requests are kept.
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

/** Takes snapshots until the command must stop. A stop at any moment leaves no incomplete snapshot. */
async function takeEvery(everyMs: number, taker: Taker, context: CommandContext): Promise<void> {
  const { stderr, signal } = context;
  while (!signal.aborted) {
    try {
      await say(await taker.take(), context);
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

async function say(report: Report, context: CommandContext): Promise<void> {
  await showAnswer(context, report, () => `${text(report)}\n`);
}

function text({ snapshot, bytes, records, afterRecords, tookMs }: Report): string {
  if (snapshot === null) {
    return `no snapshot is needed: ${records} records follow the newest snapshot, and a new one needs ${afterRecords}`;
  }
  return `${snapshot} taken: ${records} records folded, ${bytes} bytes, ${tookMs} ms`;
}
