/** Loads an agent manifest, or a graph recipe, from a file, in the same way as for a publication. */
import { basename, dirname } from 'node:path';
import { agentKeysOf, inputsOfRun, publishedDocument } from '@mandate/agent-manifest';
import { describeNote, readAgentManifestFile } from '@mandate/documents';
import type { Json } from '@mandate/schemas';
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { CommandFailure, WrongUse } from '../exit-codes.ts';

export type LoadedManifestFile = {
  id: string;
  hash: string;
  document: AgentManifest | GraphRecipe;
  /** The keys of the manifest's agents. A graph has none. */
  agents: readonly string[];
  /** Returns the inputs of a run with defaults filled in. Throws if the manifest does not accept them. */
  inputsOf(given: Json): Json;
};

/** Throws with every fault, and the exit code 2, if the file has faults. */
export function mustLoadManifest(path: string): LoadedManifestFile {
  const { publication } = readAgentManifestFile(path);
  if (!publication.ok) {
    const lines = publication.faults.map((fault) => describeNote(dirname(path), fault));
    throw new CommandFailure(
      2,
      [`${basename(path)} has faults`, ...lines].join('\n'),
      'Correct the file at these places.',
    );
  }
  const { id, hash, text } = publication.published;
  const document = publishedDocument(text);
  return {
    ...{ id, hash, document, agents: 'topology' in document ? [] : agentKeysOf(document) },
    inputsOf(given) {
      const read = inputsOfRun(document, given);
      if ('failed' in read) throw new WrongUse(read.reason, 'Give them with --inputs.');
      return read.inputs;
    },
  };
}
