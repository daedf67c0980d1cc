import { CAPS } from '@mandate/schemas';
import type { Command } from 'commander';
import type { Approval } from '../approvals/approval.ts';
import { approvalNamed } from '../approvals/approval-named.ts';
import { approvalText } from '../approvals/approval-text.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure } from '../exit-codes.ts';
import { durationMs, momentBefore, someText } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { printable } from '../output/printable.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import { showAnswer } from '../output/write.ts';

type ListOptions = PageOptions & { agent?: string; from: string; all?: true };
type AnswerOptions = DryRun & { reason?: string; for?: number };
type Receipt = { commandId: string; expiresAt?: string };

const ID = 'the id of the approval, apv_…, or of the decision, dec_…';

export function approvalsCommand(command: Command, run: RunCommand): void {
  command.description('Lists and answers the actions that wait for a person.');
  listCommand(command, run);
  showCommand(command, run);
  approveCommand(command, run);
  denyCommand(command, run);
}

function listCommand(approvals: Command, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  const list = approvals
    .command('list')
    .description(
      'Lists the actions that wait for an answer, newest first, with everything that the agent sent. Scope audit, approve or operate.',
    )
    .option('--agent <id>', 'actions of this agent', someText)
    .option('--from <time>', 'deferred since: a time, a day, or 15m, 2h, 7d ago (default 1d)', moment)
    .option('--all', 'also those that were answered or decided since');
  withPage(list, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate approvals list\n  mandate approvals list --from 7d --json | jq .args',
    )
    .action(({ agent, from = moment('1d'), all, ...page }: ListOptions) =>
      run((context) => {
        const query = { agent, from, state: all ? 'all' : 'waiting' };
        const list = { path: '/v1/approvals', query, pageSize: 100, rows: 'approvals' };
        return showList(context, list, page, {
          text: (approval: Approval) => approvalText(approval, context.stdout),
          empty: 'nothing waits for a person',
        });
      }),
    );
}

function showCommand(approvals: Command, run: RunCommand): void {
  approvals
    .command('show')
    .description('Shows one action that waits, or waited, for an answer, whole.')
    .argument('<id>', ID, someText)
    .addHelpText('after', '\nExample:\n  mandate approvals show apv_…')
    .action((id: string) =>
      run(async (context) => {
        const { asked } = await approvalNamed(connect(context), id);
        if (asked instanceof CommandFailure) throw asked;
        return showAnswer(context, asked, () => approvalText(asked, context.stdout));
      }),
    );
}

function approveCommand(approvals: Command, run: RunCommand): void {
  const approve = approvals
    .command('approve')
    .description(
      'Allows this one request of the agent, once. The agent sends the same action again, and all other checks then ' +
        'run again. Scope approve or operate.',
    )
    .option(
      '--for <duration>',
      'how long the answer holds: 30m, 2h, 31d at most (default: as the policy says, or 5m)',
      durationMs({ min: 1_000, max: CAPS.questionMs }),
    )
    .addHelpText('after', '\nExample:\n  mandate approvals approve apv_… --reason "ticket 1234" --for 30m');
  answering(approve, 'granted', run);
}

function denyCommand(approvals: Command, run: RunCommand): void {
  const deny = approvals
    .command('deny')
    .description('Refuses this action for good. Scope approve or operate.')
    .addHelpText('after', '\nExample:\n  mandate approvals deny apv_… --reason "not without a ticket"');
  answering(deny, 'denied', run);
}

function answering(command: Command, answered: 'granted' | 'denied', run: RunCommand): void {
  withDryRun(command)
    .argument('<id>', ID, someText)
    .option('--reason <text>', 'why; kept on the record', someText)
    .action((id: string, options: AnswerOptions) => run((context) => answer(id, answered, options, context)));
}

async function answer(
  named: string,
  answer: 'granted' | 'denied',
  options: AnswerOptions,
  context: CommandContext,
): Promise<0> {
  const api = connect(context);
  const { id, agentId, actionId, asked } = await approvalNamed(api, named);
  const reason = options.reason ?? `${answer} by an operator`;
  const path = `/v1/approvals/${id}`;
  const how = { query: { dryRun: options.dryRun } };
  const receipt =
    answer === 'granted'
      ? await api.post<Receipt>(`${path}/approve`, { reason, expiresInMs: options.for }, how)
      : await api.post<Receipt>(`${path}/deny`, { reason }, how);
  if (options.dryRun) return showDryRun(context, receipt);
  const approval = asked instanceof CommandFailure ? null : asked;
  return showAnswer(context, { approvalId: id, agentId, actionId, answer, approval, ...receipt }, () => {
    const until = receipt.expiresAt === undefined ? '' : `, until ${receipt.expiresAt}`;
    const done = `${answer}: ${printable(`${actionId} of ${agentId}`)}${until}\n`;
    if (asked instanceof CommandFailure) return `${done}What was asked cannot be shown: ${asked.message}\n`;
    return `${done}${approvalText(asked, context.stdout)}`;
  });
}
