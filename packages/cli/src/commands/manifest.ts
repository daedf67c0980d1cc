/** `mandate manifest`: agent manifests in files. The published ones are under `mandate manifests`. */
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { manifestCheckCommand } from './manifest-check.ts';
import { manifestCompileCommand } from './manifest-compile.ts';
import { publishManifestCommand } from './publish-manifest.ts';

export function manifestCommand(command: Command, run: RunCommand): void {
  command.description(
    'Checks, compiles and publishes agent manifests: agents, tools and a workflow in one file. `mandate manifests` lists and shows those that are published.',
  );
  manifestCheckCommand(command, run);
  manifestCompileCommand(command, run);
  publishManifestCommand(command, run);
}
