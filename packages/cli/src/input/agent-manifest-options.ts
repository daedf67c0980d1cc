/** The options of commands that read agent manifests. */
import { type Command, Option } from 'commander';
import { cost, wholeNumber } from './option-values.ts';

export type AgentManifestFlags = { directModels?: 'known' | 'any' | 'never' };

export function withAgentManifest(command: Command): Command {
  return withDirectModels(command.argument('<file>', 'the manifest, in YAML or JSON'));
}

export function withDirectModels(command: Command): Command {
  return command.addOption(
    new Option(
      '--direct-models <which>',
      'the models that a step may name instead of an agent; known: those with a price',
    )
      .choices(['known', 'any', 'never'])
      .default('known'),
  );
}

/** Reads dollars, zero or more. Returns dollars, as documents have them. */
export function inDollars(text: string): number {
  return cost(text) / 1e6;
}

/** Reads the maximum number of nodes that a run of a graph visits. */
export const visits = wholeNumber({ min: 1, max: 10_000, unit: 'visits' });
