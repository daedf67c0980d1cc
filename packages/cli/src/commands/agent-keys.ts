/** The keys of one agent, through the API of a plane. */

import { type KeyPins, pinnedFields } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { printable } from '../output/printable.ts';
import { showRows } from '../output/show-list.ts';
import { showAnswer } from '../output/write.ts';
import { type Expiry, expiresInMs, expiryText, withExpiry } from './key-expiry.ts';
import { type PinOptions, pinsOf, withPins } from './key-pins.ts';

export type IssuedKey = { id: string; key: string };
type AgentKey = { id: string; createdAt: string; expiresAt: string | null; pins?: KeyPins };

export function agentKeysCommand(agents: Command, run: RunCommand): void {
  const keys = agents.command('keys').description('Issues, lists and revokes the keys of one agent.');
  issueCommand(keys, run);
  listCommand(keys, run);
  revokeCommand(keys, run);
}

function issueCommand(keys: Command, run: RunCommand): void {
  const issue = withDryRun(keys.command('issue'))
    .description('Issues a key that publishes as this agent only, and prints it once. Scope author.')
    .argument('<agent>', 'the id of a registered agent', someText)
    .option('--no-report', 'the key may not report outcomes')
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText('after', '\nExample:\n  AGENT_KEY=$(mandate agents keys issue researcher --expires 30d)');
  withExpiry(withPins(issue)).action(
    (
      agent: string,
      {
        report,
        reason,
        dryRun,
        ...options
      }: DryRun & Expiry & PinOptions & { report: boolean; reason?: string },
    ) =>
      run(async (context) => {
        const body = { pins: pinsOf(options), expiresInMs: expiresInMs(options) };
        const query = { reason, report, dryRun };
        const issued = await connect(context).post<{ key: IssuedKey | null }>(pathOf(agent), body, {
          query,
        });
        if (dryRun) return showDryRun(context, issued);
        const { key } = issued;
        return showKey({ agentId: agent, key }, `issued a key of ${agent}; it`, context);
      }),
  );
}

export function showKey<Answer extends { key: IssuedKey | null }>(
  answer: Answer,
  what: string,
  context: CommandContext,
): Promise<0> {
  const { key } = answer;
  const note =
    key === null
      ? 'mandate: note: no new key was issued: this request was made before\n'
      : `${printable(what)} has the id ${key.id}, and is shown only now\n`;
  return showAnswer(context, answer, () => (key === null ? '' : `${key.key}\n`), note);
}

function listCommand(keys: Command, run: RunCommand): void {
  keys
    .command('list')
    .description('Lists the keys of an agent, without their secrets. Scope audit or author.')
    .argument('<agent>', 'the id of a registered agent', someText)
    .addHelpText('after', '\nExample:\n  mandate agents keys list researcher')
    .action((agent: string) =>
      run(async (context) => {
        const answer = await connect(context).get<{ keys: readonly AgentKey[] }>(pathOf(agent));
        const nowMs = Date.now();
        await showRows(context, answer.keys, {
          columns: () => [
            { title: 'ID', of: ({ id }) => id, keep: true },
            { title: 'EXPIRES', of: (key) => expiryText(key, nowMs) },
            { title: 'CREATED', of: ({ createdAt }) => createdAt },
            { title: 'PINS', of: ({ pins }) => pinnedFields(pins).join(','), cut: true },
          ],
          empty: 'the agent has no key',
        });
        return 0;
      }),
    );
}

function revokeCommand(keys: Command, run: RunCommand): void {
  withDryRun(keys.command('revoke'))
    .description('Ends a key of an agent. Scope author or admin.')
    .argument('<agent>', 'the id of the agent', someText)
    .argument('<key>', 'the id of the key, as `agents keys list` shows it', someText)
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText('after', '\nExample:\n  mandate agents keys revoke researcher key_…')
    .action((agent: string, id: string, { reason, dryRun }: DryRun & { reason?: string }) =>
      run(async (context) => {
        const path = `${pathOf(agent)}/${encodeURIComponent(id)}`;
        const revoked = await connect(context).delete<object>(path, { query: { reason, dryRun } });
        if (dryRun) return showDryRun(context, revoked);
        return showAnswer(
          context,
          { id, ...revoked },
          () => `revoked ${printable(id)} of ${printable(agent)}\n`,
        );
      }),
    );
}

function pathOf(agent: string): string {
  return `/v1/agents/${encodeURIComponent(agent)}/keys`;
}
