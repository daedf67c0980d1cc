import { loadMandatesFile, offlineRedaction } from '@mandate/documents';
import { wholeRecord } from '@mandate/documents/bare-records';
import { evaluate } from '@mandate/engine';
import { mandatesOfFile } from '@mandate/policy';
import { contentFinders, trialRedactor } from '@mandate/privacy';
import { CAPS } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { openInput } from '../input/open-input.ts';
import { readLines } from '../input/read-lines.ts';
import { EvaluationTally } from '../output/evaluation-tally.ts';
import { counted } from '../output/for-people.ts';
import { progressOn } from '../output/progress.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = { mandates: string; actions: string; privacy?: string; quiet?: true };

export function evalCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Decides the records of a file in their order, with the redaction, policy and ledger code of a plane, but without a ' +
        'plane. The file has an action.requested or action.completed on each line (NDJSON). Prints an action.decided for ' +
        'each request, an action.settled for each outcome, and a dead.letter for each record that cannot be read.',
    )
    .requiredOption('--mandates <file>', 'the mandates, in YAML or JSON')
    .option('--actions <file>', 'the records; - reads stdin', '-')
    .option('--privacy <file>', 'the privacy document, which redacts before deciding')
    .option('--quiet', 'no summary on stderr')
    .addHelpText(
      'after',
      `
The time is the latest requestedAt so far, or the time of the run. Deadlines do
not apply. With --json the summary is JSON too. A record is one line:
  {"event":"action.requested","action":{"id":"a1","agentId":"bot",
    "type":"tool_call","tool":"search","args":{}}}
  {"event":"action.completed","outcome":{"actionId":"a1","agentId":"bot",
    "status":"success"}}
The value of action or outcome alone is a record too, as for
\`mandate publish\`.

MANDATE_PLANE_REDACT_FIELDS, MANDATE_PLANE_HASH_FIELDS and MANDATE_PRIVACY_PATH
mean the same as for \`mandate up\`.

Exit code 0 whatever the verdicts; 2 if a record or the mandates are bad.

Examples:
  mandate eval --mandates mandates.yaml --actions yesterday.ndjson
  mandate eval --mandates stricter.yaml --quiet < yesterday.ndjson`,
    )
    .action((options: Options) => run((context) => evaluateFile(options, context)));
}

async function evaluateFile(options: Options, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr, env } = context;
  const redaction = offlineRedaction(env, options.privacy);
  const doubts: string[] = [];
  const control = mandatesOfFile(loadMandatesFile(options.mandates, doubts), 1);
  if (!options.quiet && !context.json) await write(stderr, warningsText(doubts, MAY_BE_MEANT));
  const tally = new EvaluationTally();
  const progress = progressOn(stderr);
  const lines = readLines(await openInput(options.actions, context), CAPS.recordBytes);
  try {
    for await (const answer of evaluate(
      recordsOf(lines),
      { control, redact: trialRedactor(redaction), finders: contentFinders },
      Date.now(),
    )) {
      tally.add(answer);
      await writeJsonLine(stdout, answer);
      if (stdout.isTTY !== true) progress.show(counted(tally.records, 'record'));
    }
  } finally {
    progress.clear();
  }
  if (!options.quiet) {
    if (context.json) await writeJsonLine(stderr, tally.summary());
    else await write(stderr, tally.text());
  }
  return tally.bad > 0 ? 2 : 0;
}

async function* recordsOf(lines: ReturnType<typeof readLines>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of lines) yield wholeRecord(bytes);
}
