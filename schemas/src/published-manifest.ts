/**
 * A version of an agent manifest as the control topic contains it: the manifest, and the agents, policies and rules
 * that it compiles to. The manifest is kept as JSON text. Readers of the topic need only the compiled documents, so
 * they need not parse a large manifest, and its depth does not count as depth of the record.
 */
import { z } from 'zod';
import { agentDocument } from './agent-document.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { policyDocument } from './mandate-document.ts';
import { ruleDocument } from './rule-document.ts';
import { id } from './scalars.ts';

/** The id of a manifest. It is also the id of its first agent, and all its documents have ids that begin with it. */
const manifestId = id;

export const publishedManifest = z
  .strictObject({
    id: described(
      manifestId,
      'The id of the manifest. Its first agent has this id, and is the parent of its other agents.',
      'support-team',
    ),
    hash: described(
      z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hex digits' }),
      'The SHA-256 of the manifest as canonical JSON, without its design metadata.',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
    text: described(
      z.string().min(2).max(CAPS.manifestChangeBytes),
      'The manifest as written, as JSON text, with its references to files resolved.',
      '{"apiVersion":"coreason.ai/v2","kind":"Recipe","metadata":{"name":"support team"}}',
    ),
    options: described(
      z.string().max(CAPS.stringUnits),
      'The options of the compilation, as JSON text.',
      '{"defaultModel":"claude-haiku-4-5"}',
    ),
    files: described(
      z
        .record(z.string().min(1).max(CAPS.stringUnits), z.string())
        .refine((files) => Object.keys(files).length <= CAPS.keys, { error: `must be at most ${CAPS.keys}` })
        .default({}),
      'The texts of the files that the manifest names and that are not part of it: code of steps, instructions of skills. By the path that the manifest states.',
      { 'score.py': 'def run(inputs, state, steps):\n    return {"score": 1}\n' },
    ),
    agents: described(
      z.array(agentDocument).min(1).max(CAPS.documentsPerManifest),
      'The agents. The first is the manifest itself.',
    ),
    policies: described(
      z.array(policyDocument).max(CAPS.documentsPerManifest),
      'The policies of the agents.',
    ),
    rules: described(
      z.array(ruleDocument).max(CAPS.documentsPerManifest),
      'The rules that give the policies to the agents.',
    ),
  })
  .meta({
    title: 'published manifest',
    description: 'A version of an agent manifest, with the documents that it compiles to.',
  });
export type PublishedManifest = z.output<typeof publishedManifest>;

/** What was published, without the documents that it compiles to. */
export type WrittenManifest = Pick<PublishedManifest, 'id' | 'hash' | 'text' | 'options' | 'files'>;

const writtenManifest = z.object({
  event: z.literal('manifest.published'),
  manifest: publishedManifest.pick({ id: true, hash: true, text: true, options: true, files: true }).strip(),
});

/**
 * Reads the manifest of a record of the control topic without its documents, because these can be thousands. Throws if
 * the record is another one.
 */
export function readWrittenManifest(value: Uint8Array): WrittenManifest {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(value);
  return writtenManifest.parse(JSON.parse(text)).manifest;
}
