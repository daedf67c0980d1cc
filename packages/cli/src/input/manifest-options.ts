/** The options for manifests of every command that reads files of agents, policies and rules. */
import type { ManifestOptions } from '@mandate/documents';
import type { Command } from 'commander';
import { someText } from './option-values.ts';

export type ManifestFlags = { env?: string; lenient?: true };

export function withManifests(command: Command): Command {
  return command
    .option('--env <name>', 'of manifests: the environment; policy.<name>.yaml changes policy.yaml', someText)
    .option('--lenient', 'of manifests: let references lead nowhere; they grant nothing');
}

export function manifestOptions({ env, lenient }: ManifestFlags): ManifestOptions {
  return { environment: env, lenient };
}
