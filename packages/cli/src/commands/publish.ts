import { CAPS } from '@mandate/schemas';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { dutiesInWords } from '../explain/duties-in-words.ts';
import { mustExclude, type NamedAction, namedAction } from '../input/named-action.ts';
import { openInput } from '../input/open-input.ts';
import { cost, durationMs, jsonObject, someText, wholeNumber } from '../input/option-values.ts';
import { readLines } from '../input/read-lines.ts';
import { counted, forPeople } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { progressOn } from '../output/progress.ts';
import { publishedLine } from '../output/published-line.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type Published, publishBatch, type Submission } from '../publish/publish-batch.ts';
import { batchesOf, readSubmission } from '../publish/submissions.ts';

type Options = NamedAction & {
  agent?: string;
  id?: string;
  grant?: string;
  attempt?: number;
  context?: object;
  principal?: string;
  role?: string;
  turn?: string;
  file?: string;
  wait: number;
};

export function publishCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Publishes one action, or the records of a file. Shows each decision and settlement, in the order of the records. ' +
        'A file has an action.requested or action.completed on each line (NDJSON), or bare actions and outcomes.',
    )
    .option('--agent <id>', 'the agent that acts', someText)
    .option('--tool <name>', 'the tool that it calls', someText)
    .option('--prompt <text>', 'the prompt of a person, instead of a tool', someText)
    .option('--action <json>', 'the fields of an action of any kind, instead of a tool', jsonObject)
    .option('--args <json>', 'the arguments of the call', jsonObject)
    .option('--id <id>', 'the id of the action (default: a new one)', someText)
    .option('--cost <dollars>', 'the estimated cost of the call: 0.40', cost)
    .option('--grant <id>', 'the grant under which to decide', someText)
    .option(
      '--attempt <number>',
      'the attempt, if the action is tried again (default 1)',
      wholeNumber({ min: 1, max: CAPS.attempts }),
    )
    .option('--context <json>', 'the context of the call, for rules', jsonObject)
    .option('--principal <id>', 'the id of the person for whom the agent acts', someText)
    .option('--role <role>', 'the role of that person; needs --principal', someText)
    .option('--turn <id>', 'the turn of the action: the id of its prompt', someText)
    .option('--file <file>', 'a file of records to publish instead; - reads stdin')
    .addOption(
      new Option('--wait <duration>', 'how long to wait for decisions; 0 does not wait')
        .argParser(durationMs({ min: 0, max: 60_000 }))
        .default(5_000, '5s'),
    )
    .addHelpText(
      'after',
      `
Exit code 3 if a decision is not ALLOW, or does not come in time.

Examples:
  mandate publish --agent researcher --tool search --args '{"query": "weather"}'
  mandate publish --agent researcher --tool search \\
    --grant "$(mandate grants issue researcher)"
  mandate publish --agent tutor --principal mia --role user --id p1 \\
    --prompt 'make me flashcards'
  mandate publish --agent tutor --principal mia --role user --turn p1 \\
    --action '{"type": "memory_read"}'
  mandate publish --file actions.ndjson --json | jq -r .decision.verdict
  mandate publish --file - --wait 0 < actions.ndjson`,
    )
    .action((options: Options) => run((context) => publish(options, context)));
}

async function publish(options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(context);
  const { stdout, stderr } = context;
  const progress = progressOn(stderr);
  let sent = 0;
  let refused = 0;
  try {
    for await (const batch of batchesOf(submissions(options, context))) {
      for (const published of await publishBatch(api, batch, { waitMs: options.wait, before: sent })) {
        if (isRefused(published, options.wait)) refused++;
        if (context.json) await writeJsonLine(stdout, published);
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

/** True if the action must not run. An ALLOW is withheld if the agent was killed after the decision. */
function isRefused(published: Published, waitMs: number): boolean {
  if ('settlement' in published || (waitMs === 0 && published.decision === null)) return false;
  return published.withheld || published.decision?.verdict !== 'ALLOW';
}

/** Returns one line for each record. A single action also gets its reason and its remedy. */
function textOf(published: Published, { wait, file }: Options, stdout: CommandContext['stdout']): string {
  const line = publishedLine(published, wait, stdout);
  if (file !== undefined || 'settlement' in published) return `${line}\n`;
  const { decision } = published;
  if (decision === null) return `${line}\n`;
  if (decision.verdict === 'ALLOW') {
    const duties = dutiesInWords(decision).map(([name, words]) => `  ${printable(`${name}: ${words}`)}\n`);
    return `${line}\n${duties.join('')}`;
  }
  // Reason and remedy are on separate lines, because a reason may end without a full stop.
  const why = [decision.reason, decision.remedy].map((text) => `  ${printable(forPeople(text, decision))}\n`);
  return `${line}\n${why.join('')}`;
}

async function* submissions(options: Options, context: CommandContext): AsyncGenerator<Submission> {
  if (options.file === undefined) {
    yield oneAction(options);
    return;
  }
  for await (const { number, bytes } of readLines(await openInput(options.file, context), CAPS.recordBytes)) {
    yield readSubmission(bytes, `${options.file}:${number}`);
  }
}

function oneAction(options: Options): Submission {
  const { agent, id, grant, attempt, context, principal, role, turn } = options;
  const named = namedAction(options);
  if (agent === undefined || named === null) {
    throw new WrongUse(
      'no action is named',
      'Give --agent, and one of --tool, --prompt and --action; or give --file.',
    );
  }
  mustExclude(options, ['tool', 'prompt', 'action']);
  if (role !== undefined && principal === undefined)
    throw new WrongUse('--role needs --principal: it is the role of that person');
  const stated = {
    ...{ id, agentId: agent, mandateId: grant, attempt, context, turnId: turn },
    principal: principal === undefined ? undefined : { id: principal, role },
  };
  const given = Object.entries(stated).filter(([, value]) => value !== undefined);
  const action = { id: `act_${crypto.randomUUID()}`, ...named, ...Object.fromEntries(given) };
  return { kind: 'action', json: JSON.stringify(action), place: 'the action' };
}
