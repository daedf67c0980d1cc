import { loadMandatesFile, offlineHiding } from '@mandate/documents';
import { evaluate } from '@mandate/engine';
import { mandatesOfFile } from '@mandate/policy';
import { trialHiding } from '@mandate/privacy';
import { CAPS } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { wholeRecord } from '../input/bare-records.ts';
import { openInput } from '../input/open-input.ts';
import { readLines } from '../input/read-lines.ts';
import { EvaluationTally } from '../output/evaluation-tally.ts';
import { counted } from '../output/for-people.ts';
import { progressOn } from '../output/progress.ts';
import { MAY_BE_MEANT, warningsText } from '../output/warnings-text.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = { mandates: string; actions: string; privacy?: string; quiet?: true; json?: true };

export function evalCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Decides records of action.requested and action.completed (NDJSON) in their order, with the redaction, policy and ' +
        'ledger code of a plane, and without a plane. On stdout, in the same order: an action.decided for each request, an ' +
        'action.settled for each outcome, a dead.letter in the place of a record that cannot be read. The clock is the ' +
        'largest requestedAt so far, or the time of the run where none was given; no deadline applies.',
    )
    .requiredOption('--mandates <file>', 'the mandates, YAML or JSON')
    .option('--actions <file>', 'the records; - reads stdin', '-')
    .option(
      '--privacy <file>',
      'the privacy document of the plane, which hides values before they are decided on',
    )
    .option('--quiet', 'no summary on stderr')
    .option('--json', 'the summary as JSON too')
    .addHelpText(
      'after',
      `
A record is one line:
  {"event":"action.requested","action":{"id":"a1","agentId":"bot","type":"tool_call","tool":"search","args":{}}}
  {"event":"action.completed","outcome":{"actionId":"a1","agentId":"bot","status":"success"}}
Bare, as \`mandate publish\` and HTTP take them, they do too (what has an actionId is an outcome):
  {"id":"a1","agentId":"bot","type":"tool_call","tool":"search","args":{}}
  {"actionId":"a1","agentId":"bot","status":"success"}

Fields that a plane redacts are redacted here too: MANDATE_PLANE_REDACT_FIELDS, MANDATE_PLANE_HASH_FIELDS and
MANDATE_PRIVACY_PATH mean the same as to \`mandate up\`.

Exit code 0 whatever the verdicts; 2 at the end when a record was bad, and at once when the mandates are.

Examples:
  mandate eval --mandates mandates.yaml --actions yesterday.ndjson | jq -r .decision.code
  mandate eval --mandates stricter.yaml --actions yesterday.ndjson --quiet > what-if.ndjson`,
    )
    .action((options: Options) => run((context) => evaluateFile(options, context)));
}

async function evaluateFile(options: Options, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr, env } = context;
  const hiding = offlineHiding(env, options.privacy);
  const doubts: string[] = [];
  const control = mandatesOfFile(loadMandatesFile(options.mandates, doubts), 1);
  if (!options.quiet && !options.json) await write(stderr, warningsText(doubts, MAY_BE_MEANT));
  const tally = new EvaluationTally();
  const progress = progressOn(stderr);
  const lines = readLines(await openInput(options.actions, context), CAPS.recordBytes);
  try {
    for await (const answer of evaluate(
      recordsOf(lines),
      { control, redact: trialHiding(hiding) },
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
    if (options.json) await writeJsonLine(stderr, tally.summary());
    else await write(stderr, tally.text());
  }
  return tally.bad > 0 ? 2 : 0;
}

async function* recordsOf(lines: ReturnType<typeof readLines>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of lines) yield wholeRecord(bytes);
}
