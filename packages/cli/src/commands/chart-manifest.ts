import { chartOf } from '@mandate/agent-manifest';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { type AgentManifestFlags, withDirectModels } from '../input/agent-manifest-options.ts';
import { manifestOfFile } from '../input/manifest-file.ts';
import { someText } from '../input/option-values.ts';
import { printableLines } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';

export function chartManifestCommand(manifest: Command, run: RunCommand): void {
  withDirectModels(manifest.command('chart'))
    .description(
      'Draws the steps of an agent manifest, or the nodes of a graph recipe, as a Mermaid flowchart.',
    )
    .argument('<file>', 'the manifest', someText)
    .addHelpText(
      'after',
      '\nExit code 2 if the file has a fault.\n\nExample:\n  mandate manifest chart support-team.yaml > support-team.mmd',
    )
    .action((file: string, flags: AgentManifestFlags) =>
      run(async (context) => {
        const mermaid = chartOf(manifestOfFile(file, flags));
        return showAnswer(context, { file, mermaid }, () => printableLines(mermaid));
      }),
    );
}
