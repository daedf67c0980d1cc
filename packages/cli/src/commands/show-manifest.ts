import { withDefaults } from '@mandate/agent-manifest';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { type AgentManifestFlags, withDirectModels } from '../input/agent-manifest-options.ts';
import { manifestOfFile } from '../input/manifest-file.ts';
import { someText } from '../input/option-values.ts';
import { printableLines } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';

export function showManifestCommand(manifest: Command, run: RunCommand): void {
  withDirectModels(manifest.command('show'))
    .description(
      'Shows an agent manifest or a graph recipe as JSON, as a whole: with the definitions of other files, and with each default filled in.',
    )
    .argument('<file>', 'the manifest', someText)
    .addHelpText(
      'after',
      '\nWith --json, the answer is on one line. Exit code 2 if the file has a fault.\n\nExample:\n  mandate manifest show support-team.yaml | jq .policy',
    )
    .action((file: string, flags: AgentManifestFlags) =>
      run(async (context) => {
        const whole = withDefaults(manifestOfFile(file, flags));
        return showAnswer(context, whole, () => printableLines(`${JSON.stringify(whole, null, 2)}\n`));
      }),
    );
}
