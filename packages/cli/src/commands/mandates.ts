import { rowsOf } from '@mandate/client';
import { type Command, Option } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import type { FittingColumn } from '../output/fit-columns.ts';
import { shownTime } from '../output/relative-time.ts';
import { nowOn } from '../output/show-fitted.ts';
import { showRows } from '../output/show-rows.ts';
import { type ConnectionOptions, connect, withConnection, withControl } from './connection.ts';
import { issueCommand, type Mandate, type Match, revokeCommand, showCommand } from './one-mandate.ts';

type Page = { mandates: readonly Mandate[]; next: string | null };

const STATES = ['live', 'ended', 'revoked', 'all'];

export function mandatesCommand(command: Command, run: RunCommand): void {
  command.description(
    'Issues agents mandates that no change of a rule reaches, and works on those: docs/policies.md.',
  );
  listCommand(command, run);
  showCommand(command, run);
  issueCommand(command, run);
  revokeCommand(command, run);
}

function listCommand(mandates: Command, run: RunCommand): void {
  const list = mandates
    .command('list')
    .description('Shows those that were issued, the oldest first. Scope audit or author.')
    .option('--agent <id>', 'of this agent', someText)
    .addOption(new Option('--state <state>', 'which').choices(STATES).default('live'))
    .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000_000 }), 1_000)
    .addHelpText(
      'after',
      `
Examples:
  mandate mandates list --agent airline-007
  mandate mandates list --state all --json | jq -r .mandate.id`,
    );
  withControl(withConnection(list)).action(
    ({
      agent,
      state,
      limit,
      ...options
    }: ConnectionOptions & { agent?: string; state: string; limit: number }) =>
      run(async (context) => {
        const { stdout } = context;
        const rows = rowsOf(
          connect(options, context),
          {
            path: '/v1/mandates',
            query: { agentId: agent, state },
            cursor: 'cursor',
            pageSize: 1_000,
            rows: ({ mandates }: Page) => mandates,
          },
          limit,
        );
        await showRows(stdout, rows, {
          json: options.json === true,
          columns: columns(nowOn(stdout)),
          empty: 'no mandate',
          rest: '--json has all',
        });
        return 0;
      }),
  );
}

function columns(nowMs: number | null): readonly FittingColumn<Mandate>[] {
  const foremost = { cuttable: false, foremost: true } as const;
  return [
    { title: 'ID', of: ({ mandate }) => mandate.id, ...foremost, rank: 0 },
    { title: 'AGENT', of: ({ mandate }) => mandate.agentId, ...foremost, rank: 1 },
    { title: 'ENDS', of: ({ mandate }) => endOf(mandate, nowMs), ...foremost, rank: 2 },
    {
      title: 'CONTEXT',
      of: ({ mandate }) => JSON.stringify(mandate.context),
      cuttable: true,
      foremost: true,
      rank: 4,
    },
    {
      title: 'RULES',
      of: ({ matchedRules, openRules }) => namesOf([...matchedRules, ...openRules]),
      cuttable: true,
      foremost: true,
      rank: 3,
    },
  ];
}

function endOf({ expiresAt, revokedAt }: Mandate['mandate'], nowMs: number | null): string {
  return revokedAt === null ? shownTime(expiresAt, nowMs) : `revoked ${shownTime(revokedAt, nowMs)}`;
}

function namesOf(rules: readonly Match[]): string {
  return rules.map(({ rule }) => rule).join(', ');
}
