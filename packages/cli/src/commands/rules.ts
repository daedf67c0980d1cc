import type { RuleDocument } from '@mandate/schemas';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText } from '../input/option-values.ts';
import { printableLines } from '../output/printable.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import { showAnswer } from '../output/write.ts';

type Shown = { revision: number; rule: RuleDocument };

export function rulesCommand(command: Command, run: RunCommand): void {
  command.description(
    'Lists and shows rules: which agents get which policy. `mandate apply` changes rules from files.',
  );
  withPage(command.command('list'))
    .description('Lists the rules, the lowest priority first. Scope audit or author.')
    .addHelpText('after', '\nExamples:\n  mandate rules list\n  mandate rules list --json | jq .rule')
    .action((options: PageOptions) =>
      run((context) =>
        showList<Shown>(context, { path: '/v1/rules', rows: 'rules' }, options, {
          columns: () => [
            { title: 'RULE', of: ({ rule }) => rule.id, keep: true },
            { title: 'POLICY', of: ({ rule }) => rule.policy, keep: true },
            { title: 'MODE', of: ({ rule }) => rule.mode },
            { title: 'AGENTS', of: ({ rule }) => agentsOf(rule), cut: true },
            { title: 'WHEN', of: ({ rule }) => whenOf(rule), cut: true },
          ],
          empty: 'there is no rule',
        }),
      ),
    );
  command
    .command('show')
    .description('Shows a rule as a document, as `mandate apply` takes it. Scope audit or author.')
    .argument('<rule>', 'its id', someText)
    .addHelpText('after', '\nExample:\n  mandate rules show support-reads')
    .action((id: string) =>
      run(async (context) => {
        const shown = await connect(context).get<Shown>(`/v1/rules/${encodeURIComponent(id)}`);
        const document = { kind: 'rule', ...shown.rule };
        return showAnswer(context, shown, () => printableLines(stringify(document, { lineWidth: 0 })));
      }),
    );
}

function agentsOf({ agents = [], groups = [] }: RuleDocument): string {
  const named = [...agents, ...groups.map((group) => `group ${group}`)];
  return named.length === 0 ? 'every agent' : named.join(', ');
}

function whenOf({ when, startsAt, endsAt }: RuleDocument): string {
  const parts = [
    ...(when === undefined ? [] : [JSON.stringify(when)]),
    ...(startsAt === undefined ? [] : [`from ${startsAt}`]),
    ...(endsAt === undefined ? [] : [`until ${endsAt}`]),
  ];
  return parts.length === 0 ? 'always' : parts.join(', ');
}
