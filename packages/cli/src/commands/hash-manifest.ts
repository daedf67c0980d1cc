import { hashOfManifest } from '@mandate/agent-manifest';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { type AgentManifestFlags, withDirectModels } from '../input/agent-manifest-options.ts';
import { manifestOfFile } from '../input/manifest-file.ts';
import { someText } from '../input/option-values.ts';
import { showAnswer } from '../output/write.ts';

export function hashManifestCommand(manifest: Command, run: RunCommand): void {
  withDirectModels(manifest.command('hash'))
    .description(
      'Prints the SHA-256 of an agent manifest or a graph recipe. It counts what is written, with files that definitions refer to, and ' +
        'not the order of fields, comments and the design.',
    )
    .argument('<file>', 'the manifest', someText)
    .addHelpText(
      'after',
      '\nExit code 2 if the file has a fault.\n\nExample:\n  mandate manifest hash support-team.yaml',
    )
    .action((file: string, flags: AgentManifestFlags) =>
      run(async (context) => {
        const hash = hashOfManifest(manifestOfFile(file, flags));
        return showAnswer(context, { file, hash }, () => `${hash}\n`);
      }),
    );
}
