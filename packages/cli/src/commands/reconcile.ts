import { existsSync } from 'node:fs';
import type { Report } from '@mandate/reconcile';
import { dataFolder } from '@mandate/runtime';
import { kafkaSettings } from '@mandate/runtime/settings';
import { formatMicros, MAX_DIFFERENCES_KEPT } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { progressOn } from '../output/progress.ts';
import { showAnswer, write, writeJsonLine } from '../output/write.ts';
import { folderOf, withData } from './folder.ts';
import { settingsOfSource } from './servers.ts';

type Options = { data?: string; kafka?: string; alert?: true; last?: true };

/** The answer of GET /v1/reconcile. */
type Answer = { last: (ReturnType<typeof found> & { by: string; at: string }) | null };

export function reconcileCommand(command: Command, run: RunCommand): void {
  withData(command)
    .description(
      'Reads the log of a plane, in a file of this machine or on Kafka. Compares every budget counter with the ledger and the ' +
        'audit of the running plane, and checks that every record keeps the laws of the plane. For the tenant of the key. ' +
        'Scope operate.',
    )
    .option('--kafka <brokers>', 'the log on Kafka: host:port,host:port (MANDATE_KAFKA_BROKERS)', someText)
    .option(
      '--alert',
      'report the result to the alerter, which keeps it, and keeps an alert until the drift is gone',
    )
    .addOption(
      new Option('--last', 'only show the last result that was reported: scope audit or operate').conflicts([
        'alert',
        'data',
        'kafka',
      ]),
    )
    .addHelpText(
      'after',
      `
Exit code 3 if they differ, or if a law is broken. docs/operations.md says what
each law asks.

Examples:
  mandate reconcile
  mandate reconcile --alert
  mandate reconcile --last
  mandate reconcile --data /var/lib/mandate --json | jq .driftMicros
  mandate reconcile --kafka k1:9092,k2:9092`,
    )
    .action((options: Options) =>
      run((context) => (options.last ? showLast(context) : reconcileRunning(options, context))),
    );
}

async function showLast(context: CommandContext): Promise<ExitCode> {
  const answer = await connect(context).get<Answer>('/v1/reconcile');
  return showAnswer(context, answer, () => {
    if (answer.last === null) return 'No result was reported. Run `mandate reconcile --alert` daily.\n';
    const { at, by, differences, counters, driftMicros, doubledActions, brokenLaws } = answer.last;
    const drift = `drift ${driftMicros} micro-dollars (${formatMicros(driftMicros)})`;
    const others = `${counted(doubledActions, 'action')} decided twice, ${counted(brokenLaws, 'broken law')}`;
    return `${at}, reported by ${by}\n${drift}, ${differences} of ${counted(counters, 'counter')} differ\n${others}\n`;
  });
}

async function reconcileRunning(options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(context);
  const settings = settingsOfSource(kafkaSettings, options, context.env);
  const path = dataFolder(folderOf(options, context)).log;
  if (settings.KAFKA_BROKERS === undefined && !existsSync(path)) {
    throw new WrongUse(
      `there is no log at ${path}`,
      'The log is read from its file or from Kafka, and not through the plane. Name the data folder of that plane with --data FOLDER, or its brokers with --kafka or MANDATE_KAFKA_BROKERS.',
    );
  }
  const { openLog } = await import('@mandate/bus');
  const { allHolds, reconcilePlane } = await import('@mandate/reconcile');
  const { reportText } = await import('../output/reconcile-report.ts');
  const progress = progressOn(context.stderr);
  const bus = await openLog(settings, {
    path,
    retentionMs: {},
    log: createLogger({ name: 'reconcile', level: 'error' }),
  });
  try {
    const report = await reconcilePlane(bus, api, (records) => {
      context.signal.throwIfAborted();
      progress.show(`${counted(records, 'record')} of the log read`);
    });
    progress.clear();
    if (context.json) await writeJsonLine(context.stdout, report);
    else await write(context.stdout, reportText(report, context.stdout));
    if (options.alert) await api.post('/v1/alerts/drift', found(report));
    return allHolds(report) ? 0 : 3;
  } finally {
    progress.clear();
    await bus.close();
  }
}

function found({
  counters,
  differences,
  doubledActions,
  driftMicros,
  driftTokens,
  driftToolCalls,
  decisions,
  settlements,
  laws,
}: Report) {
  return {
    ...{
      driftMicros,
      driftTokens,
      driftToolCalls,
      counters,
      differences: differences.length,
      differing: differences.slice(0, MAX_DIFFERENCES_KEPT).map(({ budget, log, kept, ledger, audit }) => {
        const { scope, subject, id, unit = 'micros' } = budget;
        return { scope, subject, budget: id, unit, log, kept, ledger, audit };
      }),
      doubledActions: doubledActions.length,
      decisions,
      settlements,
    },
    brokenLaws: laws.filter(({ broken }) => broken > 0).length,
  };
}
