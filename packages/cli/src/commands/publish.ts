import { CAPS } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { openInput } from '../input/open-input.ts';
import { durationMs, jsonObject, someText, wholeNumber } from '../input/option-values.ts';
import { readLines } from '../input/read-lines.ts';
import { counted, forPeople } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { progressOn } from '../output/progress.ts';
import { publishedLine } from '../output/published-line.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type Published, publishBatch, type Submission } from '../publish/publish-batch.ts';
import { batchesOf, readSubmission } from '../publish/submissions.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

/** What is said of a single action. */
const OF_ONE = ['agent', 'tool', 'args', 'id', 'cost', 'mandate', 'attempt', 'context'] as const;

type Options = ConnectionOptions & {
  agent?: string;
  tool?: string;
  args?: object;
  id?: string;
  cost?: number;
  mandate?: string;
  attempt?: number;
  context?: object;
  file?: string;
  wait: number;
};

export function publishCommand(command: Command, run: RunCommand): void {
  withConnection(
    command
      .description(
        'Publishes one tool call (--agent, --tool, --args), or the records of a file (--file): NDJSON of action.requested ' +
          'and action.completed, or bare actions and outcomes (what has an actionId is an outcome). Shows each decision and settlement, in the order of the records.',
      )
      .option('--agent <id>', 'who acts', someText)
      .option('--tool <name>', 'what it calls', someText)
      .option('--args <json>', 'with which arguments', jsonObject)
      .option('--id <id>', 'action id; made up when absent', someText)
      .option(
        '--cost <micros>',
        'estimated cost in micro-dollars: 1000000 is $1.00',
        wholeNumber({ min: 0, max: CAPS.amountMicros, unit: 'micro-dollars' }),
      )
      .option('--mandate <id>', 'the issued mandate that it is to be decided under', someText)
      .option(
        '--attempt <number>',
        'which attempt of the action, where it is tried again; 1 when absent',
        wholeNumber({ min: 1, max: CAPS.attempts }),
      )
      .option('--context <json>', 'in what it acts, for rules to look at', jsonObject)
      .option('--file <file>', 'records to publish; - reads stdin')
      .option(
        '--wait <duration>',
        'how long to wait for decisions, such as 500ms or 5s; 0 does not wait',
        durationMs({ min: 0, max: 60_000 }),
        5_000,
      ),
  )
    .addHelpText(
      'after',
      `
Exit code 3 when a decision is not ALLOW, or did not come in time.

Examples:
  mandate publish --agent researcher --tool search_web --args '{"query": "weather"}'
  mandate publish --agent researcher --tool search_web --mandate "$(mandate mandates issue researcher)"
  mandate publish --file actions.ndjson --json | jq -r .decision.verdict
  mandate publish --file - --wait 0 < actions.ndjson`,
    )
    .action((options: Options) => run((context) => publish(options, context)));
}

async function publish(options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(options, context);
  const { stdout, stderr } = context;
  const progress = progressOn(stderr);
  let sent = 0;
  let refused = 0;
  try {
    for await (const batch of batchesOf(submissions(options, context))) {
      for (const published of await publishBatch(api, batch, { waitMs: options.wait, before: sent })) {
        if (isRefused(published, options.wait)) refused++;
        if (options.json) await writeJsonLine(stdout, published);
        else await write(stdout, textOf(published, options, stdout));
      }
      sent += batch.length;
      if (stdout.isTTY !== true) progress.show(counted(sent, 'record'));
    }
  } finally {
    progress.clear();
  }
  return refused > 0 ? 3 : 0;
}

/** An ALLOW that was withheld, for the agent was killed meanwhile, allows nothing. */
function isRefused(published: Published, waitMs: number): boolean {
  if ('settlement' in published || (waitMs === 0 && published.decision === null)) return false;
  return published.withheld || published.decision?.verdict !== 'ALLOW';
}

/** For a single action people want to know why as well; for a file they read what happened, line by line. */
function textOf(published: Published, { wait, file }: Options, stdout: CommandContext['stdout']): string {
  const line = publishedLine(published, wait, stdout);
  if (file !== undefined || 'settlement' in published) return `${line}\n`;
  const { decision } = published;
  if (decision === null || decision.verdict === 'ALLOW') return `${line}\n`;
  // On lines of their own: a reason may end in an operator's words, without a full stop.
  const why = [decision.reason, decision.remedy].map((text) => `  ${printable(forPeople(text, decision))}\n`);
  return `${line}\n${why.join('')}`;
}

async function* submissions(options: Options, context: CommandContext): AsyncGenerator<Submission> {
  if (options.file === undefined) {
    yield oneAction(options);
    return;
  }
  if (OF_ONE.some((name) => options[name] !== undefined)) {
    const flags = OF_ONE.map((name) => `--${name}`).join(', ');
    throw new CommandFailure(2, `a file says who does what: leave out ${flags}`);
  }
  for await (const { number, bytes } of readLines(await openInput(options.file, context), CAPS.recordBytes)) {
    yield readSubmission(bytes, `${options.file}:${number}`);
  }
}

function oneAction({ agent, tool, args, id, cost, mandate, attempt, context }: Options): Submission {
  if (agent === undefined || tool === undefined) {
    throw new CommandFailure(2, 'say who calls what: --agent and --tool, or --file');
  }
  const action = {
    id: id ?? `act_${crypto.randomUUID()}`,
    agentId: agent,
    type: 'tool_call',
    tool,
    args: args ?? {},
    estimatedCostMicros: cost,
    mandateId: mandate,
    attempt,
    context,
  };
  // What was not said is left out of it.
  return { kind: 'action', json: JSON.stringify(action), place: 'the action' };
}
