import { readAgentManifestFile, withoutFaults } from '@mandate/documents';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { inDollars, visits } from '../input/agent-manifest-options.ts';
import { someText } from '../input/option-values.ts';
import { type PublishFlags, publishAsked } from '../manifests/publish-asked.ts';

type Options = PublishFlags & { id?: string; budget?: number; defaultModel?: string; mostVisits?: number };

export function publishManifestCommand(manifest: Command, run: RunCommand): void {
  manifest
    .command('publish')
    .description(
      'Publishes an agent manifest or a graph recipe: its agents, policies and rules take effect together. Shows what changes, and asks if something is ' +
        'wider than before. Scope author.',
    )
    .argument('<file>', 'the manifest; files that it refers to are sent too', someText)
    .option('--id <id>', 'the id of the manifest; made from its name when absent', someText)
    .option('--budget <dollars>', 'the budget of all its agents together', inDollars)
    .option('--default-model <model>', 'the model of agents that name none', someText)
    .option('--most-visits <count>', 'how many nodes a run of a graph visits at most (default: 50)', visits)
    .option('--dry-run', 'show what changes, and publish nothing')
    .option('--yes', 'do not ask; needed without a terminal if something is wider')
    .option('--reason <text>', 'why; kept on the record', someText)
    .addHelpText(
      'after',
      `
Exit code 3 if the gate of the plane forbids the manifest.

Examples:
  mandate manifest publish support-team.yaml --dry-run
  mandate manifest publish support-team.yaml --reason 'ticket 815'`,
    )
    .action((file: string, { id, budget, defaultModel, mostVisits, ...flags }: Options) =>
      run((context) => {
        const options = {
          ...(id !== undefined && { id }),
          ...(budget !== undefined && { maxCostTotal: budget }),
          ...(defaultModel !== undefined && { defaultModel }),
          ...(mostVisits !== undefined && { mostVisits }),
        };
        const { text: manifest, files } = withoutFaults(readAgentManifestFile(file, options));
        return publishAsked(context, { manifest, files, options }, flags);
      }),
    );
}
