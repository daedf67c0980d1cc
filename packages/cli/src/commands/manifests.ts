/** `mandate manifests`: the agent manifests that are published on a plane. */

import { CAPS, policyNamed } from '@mandate/schemas';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { type FieldChange, fieldChangeLines } from '../manifests/publication.ts';
import { type PublishFlags, publishAsked } from '../manifests/publish-asked.ts';
import { type DryRun, showDryRun, withDryRun } from '../output/dry-run.ts';
import { printable, printableLines } from '../output/printable.ts';
import { shownTime } from '../output/relative-time.ts';
import { type PageOptions, showList, withPage } from '../output/show-list.ts';
import type { Column } from '../output/table.ts';
import { showAnswer } from '../output/write.ts';

type Listed = {
  id: string;
  revision: number;
  version: number;
  isRemoved: boolean;
  by: string;
  reason: string;
  publishedAt: string;
};
type Shown = Listed & { manifest: object };

export function manifestsCommand(command: Command, run: RunCommand): void {
  command.description(
    'Lists and shows published agent manifests, and goes back to earlier versions. `mandate manifest publish` publishes them from files.',
  );
  listCommand(command, run);
  showCommand(command, run);
  versionsCommand(command, run);
  diffCommand(command, run);
  rollbackCommand(command, run);
  removeCommand(command, run);
}

const anId = 'its id';

function listCommand(manifests: Command, run: RunCommand): void {
  withPage(manifests.command('list'))
    .description('Lists the latest version of each manifest. Scope audit or author.')
    .addHelpText('after', '\nExamples:\n  mandate manifests list\n  mandate manifests list --json | jq .id')
    .action((options: PageOptions) =>
      run((context) =>
        showList<Listed>(context, { path: '/v1/manifests', rows: 'manifests' }, options, {
          columns: (nowMs) => [
            { title: 'MANIFEST', of: ({ id }) => id, keep: true },
            { title: 'VERSION', of: ({ version }) => String(version), align: 'right' },
            { title: 'STATE', of: ({ isRemoved }) => (isRemoved ? 'removed' : 'in use') },
            ...publishedColumns(nowMs),
          ],
          empty: 'no manifest is published',
        }),
      ),
    );
}

function publishedColumns(nowMs: number | null): readonly Column<Listed>[] {
  return [
    { title: 'PUBLISHED', of: ({ publishedAt }) => shownTime(publishedAt, nowMs) },
    { title: 'BY', of: ({ by }) => by, cut: true },
    { title: 'WHY', of: ({ reason }) => reason, cut: true },
  ];
}

function showCommand(manifests: Command, run: RunCommand): void {
  manifests
    .command('show')
    .description('Shows a manifest as it was published, with its references resolved. Scope audit or author.')
    .argument('<manifest>', 'its id, or one version of it, such as support-team@2', someText)
    .addHelpText(
      'after',
      '\nExamples:\n  mandate manifests show support-team\n  mandate manifests show support-team@2 --json | jq .manifest',
    )
    .action((named: string) =>
      run(async (context) => {
        const { id, version } = policyNamed(named);
        const path = version === null ? pathOf(id) : `${pathOf(id)}/versions/${version}`;
        const shown = await connect(context).get<Shown>(path);
        return showAnswer(context, shown, () => {
          const title = `# version ${shown.version}${shown.isRemoved ? ', removed' : ''}\n`;
          return printableLines(`${title}${stringify(shown.manifest, { lineWidth: 0 })}`);
        });
      }),
    );
}

function versionsCommand(manifests: Command, run: RunCommand): void {
  withPage(manifests.command('versions'))
    .description('Lists the versions of a manifest, the newest first. Scope audit or author.')
    .argument('<manifest>', anId, someText)
    .addHelpText('after', '\nExample:\n  mandate manifests versions support-team')
    .action((id: string, options: PageOptions) =>
      run((context) =>
        showList<Listed>(context, { path: `${pathOf(id)}/versions`, rows: 'versions' }, options, {
          columns: (nowMs) => [
            { title: 'VERSION', of: ({ version }) => `${id}@${version}`, keep: true },
            ...publishedColumns(nowMs),
          ],
          empty: 'no version',
        }),
      ),
    );
}

const aVersion = wholeNumber({ min: 1, max: CAPS.amountMicros });

function diffCommand(manifests: Command, run: RunCommand): void {
  manifests
    .command('diff')
    .description('Compares two versions of a manifest. Scope audit or author.')
    .argument('<manifest>', anId, someText)
    .argument('<from>', 'the version to compare with', aVersion)
    .argument('[to]', 'the version that is compared; the latest when absent', aVersion)
    .addHelpText('after', '\nExample:\n  mandate manifests diff support-team 2 3')
    .action((id: string, from: number, to: number | undefined) =>
      run(async (context) => {
        const diff = await connect(context).get<{ changes: readonly FieldChange[] }>(`${pathOf(id)}/diff`, {
          from,
          to,
        });
        return showAnswer(context, diff, () => {
          const lines = fieldChangeLines(diff.changes, context.stdout);
          return `${lines.length === 0 ? 'nothing differs' : lines.join('\n')}\n`;
        });
      }),
    );
}

function rollbackCommand(manifests: Command, run: RunCommand): void {
  manifests
    .command('rollback')
    .description(
      'Publishes an earlier version of a manifest again, as the latest version, with the documents that it had then. Scope author.',
    )
    .argument('<manifest>', anId, someText)
    .argument('<version>', 'the version to publish again', aVersion)
    .option('--dry-run', 'show what changes, and publish nothing')
    .option('--yes', 'do not ask; needed without a terminal if something is wider')
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText('after', '\nExample:\n  mandate manifests rollback support-team 2 --reason "ticket 815"')
    .action((id: string, version: number, flags: PublishFlags) =>
      run((context) => publishAsked(context, { id, version }, flags)),
    );
}

function removeCommand(manifests: Command, run: RunCommand): void {
  withDryRun(manifests.command('remove'))
    .description(
      'Removes a manifest: its agents are retired, its policies archived, and its rules removed. Its versions can still be read. Scope author.',
    )
    .argument('<manifest>', anId, someText)
    .option('--force', 'also if other rules name its policies: these rules then block their agents')
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText('after', '\nExample:\n  mandate manifests remove support-team --reason "ticket 815"')
    .action((id: string, { force, reason, dryRun }: DryRun & { force?: true; reason?: string }) =>
      run(async (context) => {
        const query = { reason, dryRun, ...(force && { forced: 'true' }) };
        const removed = await connect(context).delete(pathOf(id), { query });
        if (dryRun) return showDryRun(context, removed);
        return showAnswer(context, removed, () => `removed ${printable(id)}\n`);
      }),
    );
}

function pathOf(id: string): string {
  return `/v1/manifests/${encodeURIComponent(id)}`;
}
