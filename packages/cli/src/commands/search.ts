import type { Command } from 'commander';
import { nullIf } from '../api-failure.ts';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { showRows } from '../output/show-list.ts';

type Found = {
  agents: readonly { id: string; name: string | null }[];
  policies: readonly { id: string; isArchived: boolean }[];
  rules: readonly { id: string; policy: string }[];
  keys: readonly { id: string; name: string; role: string }[];
};
type FoundDecision = { id: string; agentId: string; actionId: string; verdict: string };
type Row = { kind: string; id: string; about: string };

export function searchCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Finds agents, policies, rules and keys by a part of their id or name, and decisions by the beginning of their id or of ' +
        'the id of their action. Shows what the key may read.',
    )
    .argument('<text>', 'the text to find', someText)
    .option('--limit <count>', 'at most this many of each kind', wholeNumber({ min: 1, max: 50 }), 10)
    .addHelpText('after', '\nExamples:\n  mandate search airline\n  mandate search act_7f --json | jq -r .id')
    .action((q: string, { limit }: { limit: number }) =>
      run(async (context) => {
        const api = connect(context);
        const query = { q, limit };
        const found = await nullIf('FORBIDDEN', api.get<Found>('/v1/search', query));
        const asked = api.get<{ decisions: readonly FoundDecision[] }>('/v1/audit/search', query);
        // A key may have the scope of one of the two requests only.
        const audited = found === null ? await asked : await nullIf('FORBIDDEN', asked);
        await showRows(context, [...documentRows(found), ...decisionRows(audited?.decisions ?? [])], {
          columns: () => [
            { title: 'KIND', of: ({ kind }) => kind, keep: true },
            { title: 'ID', of: ({ id }) => printable(id), keep: true },
            { title: 'ABOUT', of: ({ about }) => printable(about), cut: true },
          ],
          empty: 'nothing found',
        });
        return 0;
      }),
    );
}

function documentRows(found: Found | null): Row[] {
  const { agents = [], policies = [], rules = [], keys = [] } = found ?? {};
  return [
    ...agents.map(({ id, name }) => ({ kind: 'agent', id, about: name ?? '' })),
    ...policies.map(({ id, isArchived }) => ({ kind: 'policy', id, about: isArchived ? 'archived' : '' })),
    ...rules.map(({ id, policy }) => ({ kind: 'rule', id, about: policy })),
    ...keys.map(({ id, name, role }) => ({ kind: 'key', id, about: `${name}, ${role}` })),
  ];
}

function decisionRows(decisions: readonly FoundDecision[]): Row[] {
  return decisions.map(({ id, agentId, actionId, verdict }) => ({
    ...{ kind: 'decision', id, about: `${verdict} ${actionId} of ${agentId}` },
  }));
}
