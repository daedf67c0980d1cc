import type { ApiClient } from '@mandate/client';
import type { Explanation } from '@mandate/plane';
import { standsForAction } from '@mandate/schemas';
import type { Command } from 'commander';
import { nullIf } from '../api-failure.ts';
import type { Output, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type CommandFailure, WrongUse } from '../exit-codes.ts';
import { explanationPage } from '../explain/explanation-page.ts';
import { someText } from '../input/option-values.ts';
import { printableJson } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';
import { questionCommand } from './audit-questions.ts';
import { type UnsealOptions, unsealing, withUnseal } from './unsealing.ts';

type Options = UnsealOptions & { agent?: string };

export function decisionsCommand(command: Command, run: RunCommand): void {
  command.description('Lists, shows and explains decisions.');
  questionCommand(command, 'decisions list', run);
  showCommand(command, run);
  explainCommand(command, run);
}

function showCommand(decisions: Command, run: RunCommand): void {
  const show = decisions
    .command('show')
    .description(
      'Shows the whole record of a decision: every check, with its evidence and result. Scope audit.',
    )
    .addHelpText('after', '\nExample:\n  mandate decisions show dec_… --unseal');
  showOne<object>(show, '', (answer) => `${linesOfJson(answer)}\n`, run);
}

function explainCommand(decisions: Command, run: RunCommand): void {
  const explain = decisions
    .command('explain')
    .description(
      'Explains a decision: why it was made, what each check found, what would have changed it, what it charged, and what ' +
        'came before and after it. Scope audit.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  mandate decisions explain dec_…\n  mandate decisions explain act_… --json | jq .change',
    );
  const page = (told: Explanation, stdout: Output) => explanationPage(told, stdout, Date.now());
  showOne(explain, '/explain', page, run);
}

function showOne<Answer>(
  command: Command,
  part: string,
  text: (answer: Answer, stdout: Output) => string,
  run: RunCommand,
): void {
  command
    .argument('<id>', 'the id of the decision, or of its action: then the newest that counts', someText)
    .option('--agent <id>', 'the agent of the action, if several agents have this action id', someText);
  withUnseal(command).action((id: string, options: Options) =>
    run(async (context) => {
      const api = connect(context);
      const unseal = await unsealing(options, api);
      const answer = await unseal(await findOne<Answer>(api, id, part, options));
      return showAnswer(context, answer, () => text(answer, context.stdout));
    }),
  );
}

/** Requests a route of a decision. The id is first tried as the id of a decision, then as the id of an action. */
async function findOne<Answer>(api: ApiClient, id: string, part: string, options: Options): Promise<Answer> {
  const decisionAt = (one: string) =>
    nullIf('DECISION_NOT_FOUND', api.get<Answer>(`/v1/audit/decisions/${encodeURIComponent(one)}${part}`));
  const found = (await decisionAt(id)) ?? (await decisionAt(await standingFor(api, id, options)));
  if (found === null) throw notFound(id);
  return found;
}

type Found = { id: string; agentId: string; attempt: number; kind: string; verdict: string };

/**
 * Returns the id of the action's final decision. Throws if no agent or several agents have an action with this id.
 */
async function standingFor(api: ApiClient, actionId: string, { agent }: Options): Promise<string> {
  const { decisions } = await api.get<{ decisions: readonly Found[] }>('/v1/audit/decisions', {
    actionId,
    agent,
    limit: 1_000,
  });
  const agents = [...new Set(decisions.map(({ agentId }) => agentId))];
  if (agents.length > 1) {
    throw new WrongUse(
      `${agents.length} agents have an action ${actionId}: ${agents.slice(0, 10).join(', ')}`,
      'Name one with --agent.',
    );
  }
  const proper = decisions.filter(({ kind }) => standsForAction(kind));
  const attempt = Math.max(...proper.map((decision) => decision.attempt));
  const ofAttempt = proper.filter((decision) => decision.attempt === attempt);
  // Decisions are sorted newest first. After a person has answered a DEFER, the later decision counts.
  const standing = ofAttempt.find(({ verdict }) => verdict !== 'DEFER') ?? ofAttempt[0] ?? decisions[0];
  if (standing === undefined) throw notFound(actionId);
  return standing.id;
}

function notFound(id: string): CommandFailure {
  return new WrongUse(
    `the audit knows no decision and no action ${id}`,
    'A new decision is there after a second. `mandate decisions list` lists them.',
  );
}

/** Returns JSON on several lines. Characters that could steer the terminal are escaped, except line breaks. */
function linesOfJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(printableJson).join('\n');
}
