import { CAPS } from '@mandate/schemas';
import type { Command } from 'commander';
import { approvalNamed } from '../approvals/approval-named.ts';
import { approvalText } from '../approvals/approval-text.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { durationMs, someText } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { reason?: string; for?: number };
type Receipt = { commandId: string; expiresAt?: string };

export function approveCommand(command: Command, run: RunCommand): void {
  answering(
    command
      .description(
        'Grants an action that was deferred: this very request of this agent, once. The agent sends the same action again; ' +
          'everything else is then checked anew.',
      )
      .option(
        '--for <duration>',
        'how long the grant lives, such as 30m, 2h or 3d; as the policy says when absent, or 5m; 31d at most',
        durationMs({ min: 1_000, max: CAPS.questionMs }),
      )
      .addHelpText(
        'after',
        `
Examples:
  mandate approvals
  mandate approve apv_… --reason "ticket 1234" --for 30m
  mandate approve dec_… --reason "ticket 1234"`,
      ),
    run,
    'granted',
  );
}

export function denyCommand(command: Command, run: RunCommand): void {
  answering(
    command
      .description('Refuses an action that was deferred. The refusal stands for this action.')
      .addHelpText(
        'after',
        `
Examples:
  mandate deny apv_… --reason "not without a ticket"`,
      ),
    run,
    'denied',
  );
}

function answering(command: Command, run: RunCommand, answer: 'granted' | 'denied'): void {
  withConnection(
    command
      .argument(
        '<id>',
        'the id of the approval, apv_…, or of the decision, dec_…: `mandate approvals`',
        someText,
      )
      .option('--reason <text>', 'why; goes on the record', someText),
  ).action((id: string, options: Options) => run((context) => send(id, answer, options, context)));
}

async function send(
  named: string,
  answer: 'granted' | 'denied',
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  const api = connect(options, context);
  const { id, agentId, actionId, asked } = await approvalNamed(api, named);
  const reason = options.reason ?? `${answer} by an operator`;
  const path = `/v1/approvals/${id}`;
  const receipt =
    answer === 'granted'
      ? await api.post<Receipt>(`${path}/grant`, { reason, expiresInMs: options.for })
      : await api.post<Receipt>(`${path}/deny`, { reason });
  if (options.json) {
    const approval = asked instanceof CommandFailure ? null : asked;
    await writeJsonLine(context.stdout, { approvalId: id, agentId, actionId, answer, approval, ...receipt });
    return 0;
  }
  const until = receipt.expiresAt === undefined ? '' : `, until ${receipt.expiresAt}`;
  await write(context.stdout, `${answer}: ${printable(`${actionId} of ${agentId}`)}${until}\n`);
  await write(
    context.stdout,
    asked instanceof CommandFailure
      ? `What was asked cannot be shown: ${asked.message}\n`
      : approvalText(asked, context.stdout),
  );
  return 0;
}
