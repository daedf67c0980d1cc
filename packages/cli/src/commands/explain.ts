import type { ApiClient } from '@mandate/client';
import type { Explanation } from '@mandate/plane';
import { standsForAction } from '@mandate/schemas';
import type { Command } from 'commander';
import { ApiProblem } from '../api-failure.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { explanationPage } from '../explain/explanation-page.ts';
import { someText } from '../input/option-values.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';
import { type UnsealOptions, unsealing, withUnseal } from './unsealing.ts';

type Options = ConnectionOptions & UnsealOptions & { agent?: string };

export function explainCommand(command: Command, run: RunCommand): void {
  withConnection(
    withUnseal(
      command
        .description(
          'Explains one decision: why it was made, what each check found, what would have changed it, what it charged, and ' +
            'what came before and after it.',
        )
        .argument('<id>', 'of the decision, or of the action it is about', someText)
        .option('--agent <id>', 'whose action it is, where several agents have one of this id', someText),
    ),
  )
    .addHelpText(
      'after',
      `
Of several decisions on an action it explains the one that stands: of the newest attempt, and no repeat.

Examples:
  mandate explain dec_…
  mandate explain act_… --json | jq .change`,
    )
    .action((id: string, options: Options) => run((context) => explain(id, options, context)));
}

async function explain(id: string, options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(options, context);
  const sealed = (await explained(api, id)) ?? (await explained(api, await standingFor(api, id, options)));
  if (sealed === null) throw notFound(id);
  const unseal = await unsealing(options, api);
  const told = await unseal(sealed);
  if (options.json) await writeJsonLine(context.stdout, told);
  else await write(context.stdout, explanationPage(told, context.stdout, Date.now()));
  return 0;
}

/** null: there is no such decision. */
async function explained(api: ApiClient, id: string): Promise<Explanation | null> {
  try {
    return await api.get<Explanation>(`/v1/audit/decisions/${encodeURIComponent(id)}/explain`);
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'DECISION_NOT_FOUND') return null;
    throw error;
  }
}

type Found = { id: string; agentId: string; attempt: number; kind: string; verdict: string };

/** The id of the decision that stands for an action; throws where that is none, or several agents'. */
async function standingFor(api: ApiClient, actionId: string, { agent }: Options): Promise<string> {
  const { decisions } = await api.get<{ decisions: readonly Found[] }>('/v1/audit/decisions', {
    actionId,
    agent,
    limit: 1_000,
  });
  const agents = [...new Set(decisions.map(({ agentId }) => agentId))];
  if (agents.length > 1) {
    throw new CommandFailure(
      2,
      `${agents.length} agents have an action ${actionId}: ${agents.slice(0, 10).join(', ')}`,
      'Say whose with --agent.',
    );
  }
  const proper = decisions.filter(({ kind }) => standsForAction(kind));
  const attempt = Math.max(...proper.map((decision) => decision.attempt));
  const ofAttempt = proper.filter((decision) => decision.attempt === attempt);
  // The newest come first: of a request that was deferred and sent again, what was said after a person had answered.
  const standing = ofAttempt.find(({ verdict }) => verdict !== 'DEFER') ?? ofAttempt[0] ?? decisions[0];
  if (standing === undefined) throw notFound(actionId);
  return standing.id;
}

function notFound(id: string): CommandFailure {
  return new CommandFailure(
    2,
    `the audit knows no decision and no action ${id}`,
    'What was just decided may take a second. `mandate query decisions` lists what there is.',
  );
}
