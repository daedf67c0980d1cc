import type { Command } from 'commander';
import { deferredDecision } from '../approvals/deferred-decision.ts';
import { type CommandContext, CommandFailure, type ExitCode, type RunCommand } from '../command-context.ts';
import { durationMs, someText } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { reason?: string; for: number };
type Receipt = { expiresAt: string };

export function approveCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Grants an action that was deferred: this very request of this agent, once. The agent sends the same action again; ' +
        'everything else is then checked anew.',
    )
    .addHelpText(
      'after',
      `
Examples:
  mandate approvals
  mandate approve dec_… --reason "ticket 1234" --for 30m`,
    );
  answering(command, run, 'granted');
}

export function denyCommand(command: Command, run: RunCommand): void {
  command
    .description('Refuses an action that was deferred. The refusal stands for this action until it runs out.')
    .addHelpText(
      'after',
      `
Examples:
  mandate deny dec_… --reason "not without a ticket"`,
    );
  answering(command, run, 'denied');
}

function answering(command: Command, run: RunCommand, answer: 'granted' | 'denied'): void {
  withConnection(
    command
      .argument('<decision>', 'the id of the decision, dec_…, as `mandate approvals` shows it', someText)
      .option('--reason <text>', 'why; goes on the record', someText)
      .option(
        '--for <duration>',
        'for how long the answer stands, such as 30m or 2h; a day at most',
        durationMs({ min: 1_000, max: 86_400_000 }),
        5 * 60_000,
      ),
  ).action((id: string, options: Options) => run((context) => send(id, answer, options, context)));
}

async function send(
  id: string,
  answer: 'granted' | 'denied',
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  if (!id.startsWith('dec_')) {
    throw new CommandFailure(
      2,
      `${id} is not the id of a decision`,
      '`mandate approvals` shows them: dec_….',
    );
  }
  const api = connect(options, context);
  const { agentId, actionId, digest, tool } = await deferredDecision(api, id);
  const receipt = await api.post<Receipt>('/v1/approvals', {
    agentId,
    actionId,
    digest,
    answer,
    expiresInMs: options.for,
    reason: options.reason ?? `${answer} by an operator`,
  });
  if (options.json) {
    await writeJsonLine(context.stdout, { decisionId: id, agentId, actionId, answer, ...receipt });
    return 0;
  }
  const what = printable(`${tool ?? 'the call'} of ${agentId} (${actionId})`);
  await write(context.stdout, `${answer}: ${what}, until ${receipt.expiresAt}\n`);
  return 0;
}
