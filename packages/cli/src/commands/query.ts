import { CODES, DECISION_KINDS, VERDICTS } from '@mandate/schemas';
import { Argument, type Command, Option } from 'commander';
import { type Filters, mustKnow, parametersOf, QUESTIONS, type Question } from '../audit/questions.ts';
import { type CommandContext, CommandFailure, type ExitCode, type RunCommand } from '../command-context.ts';
import { momentBefore, someText, wholeNumber } from '../input/option-values.ts';
import { printableJson } from '../output/printable.ts';
import { type Row, showAnswerRows } from '../output/show-answer-rows.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { allOf, rowsOf } from '../pages.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & Filters & { limit: number };

const PAGE = 1_000;

export function queryCommand(command: Command, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  withConnection(
    command
      .description(
        'Asks the audit: decisions, settlements and control-events (newest first), one decision whole, or spend, verdicts, ' +
          'codes, tools and agents, counted and summed.',
      )
      .addArgument(new Argument('<question>').choices([...Object.keys(QUESTIONS), 'decision']))
      .argument('[id]', 'of the one decision', someText)
      .option('--agent <id>', 'of this agent', someText)
      .option('--tool <name>', 'of this tool', someText)
      .addOption(new Option('--verdict <verdict>', 'decisions that said so').choices(VERDICTS))
      .addOption(new Option('--code <code>', 'decisions for this reason').choices(CODES))
      .addOption(new Option('--type <type>', 'of actions').choices(['tool_call', 'llm_call']))
      .addOption(new Option('--kind <kind>', 'of decisions').choices(DECISION_KINDS))
      .option('--action <id>', 'decisions and settlements of this action', someText)
      .option('--event <event>', 'control events of this name, such as agent.killed', someText)
      .option('--from <time>', 'RFC 3339, a day, or how long ago: 15m, 2h, 7d', moment)
      .option('--to <time>', 'likewise; not included', moment)
      .option('--limit <count>', 'how many rows', wholeNumber({ min: 1, max: 1_000_000 }), 100),
  )
    .addHelpText(
      'after',
      `
A terminal shows the columns that it has room for; a file, a pipe and --json get all of them, in full.

Examples:
  mandate query decisions --verdict BLOCK --from 2h
  mandate query decisions --action act_…       what was decided about one action
  mandate query decision dec_…                 every check: what it saw, what it said
  mandate query spend --from 7d
  mandate query decisions --limit 100000 --json > decisions.ndjson`,
    )
    .action((question: string, id: string | undefined, options: Options) =>
      run((context) => ask(question, id, options, context)),
    );
}

async function ask(
  name: string,
  id: string | undefined,
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  const question = QUESTIONS[name];
  if (question !== undefined && id !== undefined) throw new CommandFailure(2, `${name} takes no id`);
  const { url, queryUrl, key, json, limit, ...given } = options;
  const filters = mustKnow(name, question?.filters ?? [], given);
  if (question === undefined) return showDecision(id, options, context);
  const api = connect(options, context);
  const { stdout } = context;
  const path = `/v1/audit/${question.path}`;
  const query = parametersOf(question, filters);
  if (question.kind === 'paged') {
    const list = { path, query, cursor: 'cursor', pageSize: PAGE };
    const rows = rowsOf(api, { ...list, rows: (answer: Page) => rowsIn(answer, question) }, limit);
    if (json) for await (const row of rows) await writeJsonLine(stdout, row);
    else await showAnswerRows(await allOf(rows), stdout, question.presentation);
    return 0;
  }
  const cut = question.kind === 'ranked' ? { limit: Math.min(limit, PAGE) } : {};
  const answer = await api.get<Row>(path, { ...query, ...cut });
  if (json) await writeJsonLine(stdout, answer);
  else await showAnswerRows(rowsIn(answer, question), stdout, question.presentation);
  return 0;
}

type Page = Row & { next: string | null };

function rowsIn(answer: Row, { rows: name }: Question): readonly Row[] {
  const rows = answer[name];
  return Array.isArray(rows) ? rows : [];
}

async function showDecision(
  id: string | undefined,
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  if (id === undefined) throw new CommandFailure(2, 'say which decision: `mandate query decision dec_…`');
  const path = `/v1/audit/decisions/${encodeURIComponent(id)}`;
  const answer = await connect(options, context).get(path);
  if (options.json) await writeJsonLine(context.stdout, answer);
  else await write(context.stdout, `${linesOfJson(answer)}\n`);
  return 0;
}

/** JSON for people: its own line breaks stay, whatever else could steer the terminal is escaped. */
function linesOfJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(printableJson).join('\n');
}
