/** `mandate manifest`: agent manifests in files. The published ones are under `mandate manifests`. */
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { publishManifestCommand } from './publish-manifest.ts';

export function manifestCommand(command: Command, run: RunCommand): void {
  command.description(
    'Publishes agent manifests from files. `mandate manifests` lists and shows those that are published.',
  );
  publishManifestCommand(command, run);
}
