/** Commands on one issued mandate. */
import { CAPS } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { durationMs, jsonObject, someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection, withControl } from './connection.ts';

export type Match = { rule: string; policy: string; mode: string };
export type Mandate = {
  mandate: {
    id: string;
    agentId: string;
    context: object;
    issuedBy: string;
    issuedAt: string;
    expiresAt: string;
    revokedAt: string | null;
  };
  matchedRules: readonly Match[];
  openRules: readonly Match[];
};
type Reasoned = ConnectionOptions & { reason?: string };

const ID = 'as `mandates list` shows it';

export function showCommand(mandates: Command, run: RunCommand): void {
  const show = mandates
    .command('show')
    .description('Shows one, and what it is made of. Scope audit or author.')
    .argument('<id>', ID)
    .addHelpText('after', '\nExample:\n  mandate mandates show mnd_0mefd8h3c06b1f7c1c9be1d2a4f5');
  withControl(withConnection(show)).action((id: string, options: ConnectionOptions) =>
    run(async (context) => {
      const shown = await connect(options, context).get<Mandate>(pathOf(id));
      if (options.json) await writeJsonLine(context.stdout, shown);
      else await write(context.stdout, textOf(shown));
      return 0;
    }),
  );
}

function textOf({ mandate, matchedRules, openRules }: Mandate): string {
  const { id, agentId, context, issuedBy, issuedAt, expiresAt, revokedAt } = mandate;
  const ofRules = (rules: readonly Match[], when: string) =>
    rules.map(
      ({ rule, policy, mode }) => `  ${rule}: ${policy}${mode === 'enforce' ? '' : `, ${mode}`}${when}`,
    );
  return [
    `${id} of ${agentId}`,
    `issued ${issuedAt} by ${issuedBy}`,
    revokedAt === null ? `ends ${expiresAt}` : `revoked ${revokedAt}`,
    `context ${JSON.stringify(context)}`,
    'rules',
    ...ofRules(matchedRules, ''),
    ...ofRules(openRules, ' (each action is asked)'),
  ]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

export function issueCommand(mandates: Command, run: RunCommand): void {
  const issue = mandates
    .command('issue')
    .description('Issues an agent a mandate of the rules that match it now, and prints its id. Scope author.')
    .argument('<agent>', 'the agent id')
    .option(
      '--context <json>',
      'what it is to act in; stands on the log for ever, so it names nobody',
      jsonObject,
    )
    .option(
      '--for <time>',
      'for how long: 30s, 10m, 2h; 5m when absent, a day at most',
      durationMs({ min: 1_000, max: CAPS.mandateTtlMs }),
    )
    .option('--reason <text>', 'why; goes on the record', someText)
    .addHelpText(
      'after',
      `
An action is decided under it that carries the id as its mandateId: a field of POST /v1/actions, and of the lines of
\`mandate publish --file\`.

Examples:
  mandate mandates issue airline-007
  mandate mandates issue airline-007 --context '{"environment": "prod"}' --for 10m`,
    );
  withControl(withConnection(issue)).action(
    (
      agentId: string,
      { context: inWhich, for: ttlMs, reason, ...options }: Reasoned & { context?: object; for?: number },
    ) =>
      run(async (context) => {
        const { stdout, stderr } = context;
        const body = { agentId, context: inWhich, ttlMs };
        const issued = await connect(options, context).post<Mandate>('/v1/mandates/issue', body, {
          query: { reason },
        });
        if (options.json) {
          await writeJsonLine(stdout, issued);
          return 0;
        }
        const { mandate, matchedRules, openRules } = issued;
        await write(stdout, `${mandate.id}\n`);
        // Beside the id, so that a script may take that as it stands.
        const rules = counted(matchedRules.length + openRules.length, 'rule');
        await write(stderr, `made of ${rules}; ends ${mandate.expiresAt}\n`);
        return 0;
      }),
  );
}

export function revokeCommand(mandates: Command, run: RunCommand): void {
  const revoke = mandates
    .command('revoke')
    .description('Ends one: nothing more is allowed under it. Scope author.')
    .argument('<id>', ID)
    .option('--reason <text>', 'why; goes on the record', someText)
    .addHelpText(
      'after',
      '\nExample:\n  mandate mandates revoke mnd_0mefd8h3c06b1f7c1c9be1d2a4f5 --reason "ticket 4711"',
    );
  withControl(withConnection(revoke)).action((id: string, { reason, ...options }: Reasoned) =>
    run(async (context) => {
      const revoked = await connect(options, context).post<Mandate>(`${pathOf(id)}/revoke`, undefined, {
        query: { reason },
      });
      if (options.json) await writeJsonLine(context.stdout, revoked);
      else await write(context.stdout, `revoked ${printable(id)} of ${printable(revoked.mandate.agentId)}\n`);
      return 0;
    }),
  );
}

function pathOf(id: string): string {
  return `/v1/mandates/${encodeURIComponent(id)}`;
}
