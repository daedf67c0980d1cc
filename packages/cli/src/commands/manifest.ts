/** `mandate manifest`: agent manifests in files. The published ones are under `mandate manifests`. */
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { chartManifestCommand } from './chart-manifest.ts';
import { diffManifestsCommand } from './diff-manifests.ts';
import { hashManifestCommand } from './hash-manifest.ts';
import { importManifestCommand } from './import-manifest.ts';
import { initAgentManifestCommand } from './init-agent-manifest.ts';
import { manifestCheckCommand } from './manifest-check.ts';
import { manifestCompileCommand } from './manifest-compile.ts';
import { publishManifestCommand } from './publish-manifest.ts';
import { showManifestCommand } from './show-manifest.ts';

export function manifestCommand(command: Command, run: RunCommand): void {
  command.description(
    'Makes, imports, checks, compares, compiles and publishes agent manifests: agents, tools and a workflow in one file. `mandate manifests` lists and shows those that are published.',
  );
  initAgentManifestCommand(command, run);
  importManifestCommand(command, run);
  manifestCheckCommand(command, run);
  diffManifestsCommand(command, run);
  chartManifestCommand(command, run);
  hashManifestCommand(command, run);
  showManifestCommand(command, run);
  manifestCompileCommand(command, run);
  publishManifestCommand(command, run);
}
