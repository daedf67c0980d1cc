import { CAPS, type PolicyDocument, policyNamed } from '@mandate/schemas';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { printable, printableLines } from '../output/printable.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import { widerLines } from '../output/wider-lines.ts';
import { showAnswer } from '../output/write.ts';

type Shown = { revision: number; version: number; isArchived: boolean; policy: PolicyDocument };
type Version = Omit<Shown, 'isArchived'>;
type Published = Shown & { widens: readonly string[] | null };

export function policiesCommand(command: Command, run: RunCommand): void {
  command.description(
    'Lists and shows policies, and goes back to earlier versions. `mandate apply` publishes policies from files.',
  );
  listCommand(command, run);
  showCommand(command, run);
  versionsCommand(command, run);
  rollbackCommand(command, run);
}

function listCommand(policies: Command, run: RunCommand): void {
  withPage(policies.command('list'))
    .description('Lists the latest version of each policy. Scope audit or author.')
    .addHelpText('after', '\nExamples:\n  mandate policies list\n  mandate policies list --json | jq .policy')
    .action((options: PageOptions) =>
      run((context) =>
        showList<Shown>(context, { path: '/v1/policies', rows: 'policies' }, options, {
          columns: () => [
            { title: 'POLICY', of: ({ policy }) => policy.id, keep: true },
            { title: 'VERSION', of: ({ version }) => String(version), align: 'right' },
            { title: 'STATE', of: ({ isArchived }) => (isArchived ? 'archived' : 'in use') },
            { title: 'SETS', of: ({ policy }) => fieldsOf(policy), cut: true },
          ],
          empty: 'no policy is published',
        }),
      ),
    );
}

function fieldsOf({ version: _, id: __, ...fields }: PolicyDocument): string {
  return Object.keys(fields).join(', ');
}

function showCommand(policies: Command, run: RunCommand): void {
  policies
    .command('show')
    .description('Shows a policy as a document, as `mandate apply` takes it. Scope audit or author.')
    .argument('<policy>', 'its id, or one version of it, such as read-only@2', someText)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate policies show read-only\n  mandate policies show read-only@2',
    )
    .action((named: string) =>
      run(async (context) => {
        const { id, version } = policyNamed(named);
        const shown = await connect(context).get<Shown>(pathOf(id), { version: version ?? undefined });
        return showAnswer(context, shown, () => {
          const title = `# version ${shown.version}${shown.isArchived ? ', archived' : ''}\n`;
          return printableLines(
            `${title}${stringify({ kind: 'policy', ...shown.policy }, { lineWidth: 0 })}`,
          );
        });
      }),
    );
}

function versionsCommand(policies: Command, run: RunCommand): void {
  withPage(policies.command('versions'))
    .description('Lists the versions of a policy, the newest first. Scope audit or author.')
    .argument('<policy>', 'its id', someText)
    .addHelpText('after', '\nExample:\n  mandate policies versions read-only')
    .action((id: string, options: PageOptions) =>
      run((context) =>
        showList<Version>(context, { path: `${pathOf(id)}/versions`, rows: 'versions' }, options, {
          columns: () => [
            { title: 'VERSION', of: ({ version }) => `${id}@${version}`, keep: true },
            { title: 'REVISION', of: ({ revision }) => String(revision), align: 'right' },
            { title: 'SETS', of: ({ policy }) => fieldsOf(policy), cut: true },
          ],
          empty: 'no version',
        }),
      ),
    );
}

function rollbackCommand(policies: Command, run: RunCommand): void {
  withDryRun(policies.command('rollback'))
    .description('Publishes an earlier version of a policy again, as the latest version. Scope author.')
    .argument('<policy>', 'its id', someText)
    .argument('<version>', 'the version to publish again', wholeNumber({ min: 1, max: CAPS.amountMicros }))
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText('after', '\nExample:\n  mandate policies rollback read-only 2 --reason "ticket 815"')
    .action((id: string, version: number, { reason, dryRun }: DryRun & { reason?: string }) =>
      run(async (context) => {
        const query = { reason, dryRun };
        const path = `${pathOf(id)}/rollback`;
        const published = await connect(context).post<Published>(path, { version }, { query });
        if (dryRun) return showDryRun(context, published);
        return showAnswer(context, published, () => {
          const done = `published ${printable(id)}@${version} again, as version ${published.version}`;
          return [done, ...widerLines(published.widens ?? [], context.stdout), ''].join('\n');
        });
      }),
    );
}

function pathOf(id: string): string {
  return `/v1/policies/${encodeURIComponent(id)}`;
}
