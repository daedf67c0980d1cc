import { readAgentManifestFile, withoutFaults } from '@mandate/documents';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { inDollars, visits } from '../input/agent-manifest-options.ts';
import { manifestOfFile } from '../input/manifest-file.ts';
import { someText } from '../input/option-values.ts';
import { keptOptions } from '../manifests/kept-options.ts';
import { type PublishFlags, publishAsked } from '../manifests/publish-asked.ts';
import { printable } from '../output/printable.ts';
import { write } from '../output/write.ts';

type Options = PublishFlags & {
  id?: string;
  budget?: number | 'none';
  defaultModel?: string;
  mostVisits?: number;
};

export function publishManifestCommand(manifest: Command, run: RunCommand): void {
  manifest
    .command('publish')
    .description(
      'Publishes an agent manifest or a graph recipe: its agents, policies and rules take effect together. Shows what changes, and asks if something is ' +
        'wider than before. Scope author.',
    )
    .argument('<file>', 'the manifest; files that it refers to are sent too', someText)
    .option('--id <id>', 'the id of the manifest; made from its name when absent', someText)
    .option('--budget <dollars>', 'the budget of all its agents together; none: no budget', budgetOrNone)
    .option('--default-model <model>', 'the model of agents that name none', someText)
    .option('--most-visits <count>', 'how many nodes a run of a graph visits at most (default: 50)', visits)
    .option('--dry-run', 'show what changes, and publish nothing')
    .option('--yes', 'do not ask; needed without a terminal if something is wider')
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
An option of the latest version that you do not give stays as it is, such as its
budget. Exit code 3 if the gate of the plane forbids the manifest.

Examples:
  mandate manifest publish support-team.yaml --dry-run
  mandate manifest publish support-team.yaml --reason 'ticket 815'`,
    )
    .action((file: string, { id, budget, defaultModel, mostVisits, ...flags }: Options) =>
      run(async (context) => {
        const given = {
          ...(id !== undefined && { id }),
          ...(typeof budget === 'number' && { maxCostTotal: budget }),
          ...(defaultModel !== undefined && { defaultModel }),
          ...(mostVisits !== undefined && { mostVisits }),
        };
        // Options of the latest version may be needed to load the file.
        const document = manifestOfFile(file, { directModels: 'any' });
        const latest = await keptOptions(connect(context), document, id);
        const { maxCostTotal, ...others } = latest?.options ?? {};
        const isKept = maxCostTotal !== undefined && budget !== 'none';
        const kept = isKept ? { ...others, maxCostTotal } : others;
        const options = { ...kept, ...given };
        const { text: manifest, files } = withoutFaults(readAgentManifestFile(file, options));
        const named = Object.entries(kept).filter(([name]) => name !== 'id' && !Object.hasOwn(given, name));
        for (const [name, value] of named) {
          const line = `keeps ${name} of version ${latest?.version}: ${JSON.stringify(value)}`;
          await write(context.stderr, `${printable(line)}\n`);
        }
        return publishAsked(context, { manifest, files, options }, flags);
      }),
    );
}

/** Reads an amount in dollars, or the word that means no budget. */
function budgetOrNone(text: string): number | 'none' {
  return text === 'none' ? text : inDollars(text);
}
