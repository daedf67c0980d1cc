import { CAPS } from '@mandate/schemas';
import { type Command, Option } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { durationMs, jsonObject, someText } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

type Match = { rule: string; policy: string; mode: string };
/** A grant as the plane returns it, with the rules in it. */
type Grant = {
  grant: {
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
type ListOptions = PageOptions & { agent?: string; state: string };
type IssueOptions = DryRun & { context?: object; for?: number; reason?: string };

const STATES = ['live', 'ended', 'revoked', 'all'];
const ID = 'the id of the grant, as `grants list` shows it';

export function grantsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Issues grants. A grant is what the rules of an agent allow now. No later change of a rule reaches the grant: docs/policies.md.',
  );
  listCommand(command, run);
  showCommand(command, run);
  issueCommand(command, run);
  revokeCommand(command, run);
}

function listCommand(grants: Command, run: RunCommand): void {
  const list = grants
    .command('list')
    .description('Lists the grants, the oldest first. Scope audit or author.')
    .option('--agent <id>', 'grants of this agent', someText)
    .addOption(new Option('--state <state>', 'grants in this state').choices(STATES).default('live'));
  withPage(list)
    .addHelpText(
      'after',
      `
Examples:
  mandate grants list --agent airline-007
  mandate grants list --state all --json | jq -r .grant.id`,
    )
    .action(({ agent, state, ...page }: ListOptions) =>
      run((context) => {
        const query = { agentId: agent, state };
        const list = { path: '/v1/grants', query, rows: 'grants' };
        return showList(context, list, page, { columns, empty: 'no grant' });
      }),
    );
}

function columns(nowMs: number | null): readonly Column<Grant>[] {
  return [
    { title: 'ID', of: ({ grant }) => grant.id, keep: true },
    { title: 'AGENT', of: ({ grant }) => grant.agentId, cut: true },
    { title: 'ENDS', of: ({ grant }) => endOf(grant, nowMs) },
    { title: 'CONTEXT', of: ({ grant }) => JSON.stringify(grant.context), cut: true, rank: 4 },
    {
      title: 'RULES',
      of: ({ matchedRules, openRules }) => [...matchedRules, ...openRules].map(({ rule }) => rule).join(', '),
      cut: true,
      rank: 3,
    },
  ];
}

function endOf({ expiresAt, revokedAt }: Grant['grant'], nowMs: number | null): string {
  return revokedAt === null ? shownTime(expiresAt, nowMs) : `revoked ${shownTime(revokedAt, nowMs)}`;
}

function showCommand(grants: Command, run: RunCommand): void {
  grants
    .command('show')
    .description('Shows a grant, and the rules that it is made of. Scope audit or author.')
    .argument('<id>', ID)
    .addHelpText('after', '\nExample:\n  mandate grants show mnd_0mefd8h3c06b1f7c1c9be1d2a4f5')
    .action((id: string) =>
      run(async (context) => {
        const shown = await connect(context).get<Grant>(pathOf(id));
        return showAnswer(context, shown, () => textOf(shown));
      }),
    );
}

function textOf({ grant, matchedRules, openRules }: Grant): string {
  const { id, agentId, context, issuedBy, issuedAt, expiresAt, revokedAt } = grant;
  const linesOf = (rules: readonly Match[], when: string) =>
    rules.map(
      ({ rule, policy, mode }) => `  ${rule}: ${policy}${mode === 'enforce' ? '' : `, ${mode}`}${when}`,
    );
  return [
    `${id} of ${agentId}`,
    `issued ${issuedAt} by ${issuedBy}`,
    revokedAt === null ? `ends ${expiresAt}` : `revoked ${revokedAt}`,
    `context ${JSON.stringify(context)}`,
    'rules',
    ...linesOf(matchedRules, ''),
    ...linesOf(openRules, ' (asked for each action)'),
  ]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

function issueCommand(grants: Command, run: RunCommand): void {
  withDryRun(grants.command('issue'))
    .description('Issues a grant of the rules that match the agent now, and prints its id. Scope author.')
    .argument('<agent>', 'the id of the agent')
    .option(
      '--context <json>',
      'the context of the actions; recorded permanently, so do not name a person',
      jsonObject,
    )
    .option(
      '--for <time>',
      'how long it holds: 30s, 10m, 2h, a day at most (default 5m)',
      durationMs({ min: 1_000, max: CAPS.grantTtlMs }),
    )
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
An action is decided under the grant if it carries this id as its mandateId:
a field of POST /v1/actions, and \`mandate publish --grant\`.

Examples:
  mandate grants issue airline-007
  mandate grants issue airline-007 --context '{"environment": "prod"}' --for 10m`,
    )
    .action((agentId: string, { context: actsIn, for: ttlMs, reason, dryRun }: IssueOptions) =>
      run(async (context) => {
        const body = { agentId, context: actsIn, ttlMs };
        const query = { reason, dryRun };
        const issued = await connect(context).post<Grant>('/v1/grants/issue', body, { query });
        if (dryRun) return showDryRun(context, issued);
        const { grant, matchedRules, openRules } = issued;
        const rules = counted(matchedRules.length + openRules.length, 'rule');
        const note = `made of ${rules}; ends ${grant.expiresAt}\n`;
        return showAnswer(context, issued, () => `${grant.id}\n`, note);
      }),
    );
}

function revokeCommand(grants: Command, run: RunCommand): void {
  withDryRun(grants.command('revoke'))
    .description('Ends a grant: nothing more is allowed under it. Scope author.')
    .argument('<id>', ID)
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
Example:
  mandate grants revoke mnd_0mefd8h3c06b1f7c1c9be1d2a4f5 --reason "ticket 4711"`,
    )
    .action((id: string, { reason, dryRun }: DryRun & { reason?: string }) =>
      run(async (context) => {
        const query = { reason, dryRun };
        const revoked = await connect(context).post<Grant>(`${pathOf(id)}/revoke`, undefined, { query });
        if (dryRun) return showDryRun(context, revoked);
        const { agentId } = revoked.grant;
        return showAnswer(context, revoked, () => `revoked ${printable(id)} of ${printable(agentId)}\n`);
      }),
    );
}

function pathOf(id: string): string {
  return `/v1/grants/${encodeURIComponent(id)}`;
}
