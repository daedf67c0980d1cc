/** The shapes of answers about agent manifests. */
import type { ManifestHistory } from '@mandate/control';
import { count, described, id, time } from '@mandate/schemas';
import { z } from 'zod';
import { revision } from './shapes.ts';
import { widens } from './widens.ts';

export const version = described(
  z.int().min(1),
  'The version of the manifest, from 1. A version never changes.',
  3,
);

const hash = described(
  z.string(),
  'The SHA-256 of the manifest as canonical JSON, without its design metadata.',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
);

const manifestId = described(id, 'The id of the manifest, and of its first agent.', 'support-team');

export const listed = z.object({
  id: manifestId,
  revision,
  version,
  hash,
  isRemoved: described(
    z.boolean(),
    'Whether the manifest is removed. Its agents are retired until it is published again.',
    false,
  ),
  by: described(z.string(), 'The person or key that published the version.', 'ann (1bC2dE3fG4hI)'),
  reason: described(z.string(), 'Why, in the words of the author.', 'the contract of January'),
  publishedAt: described(time, 'When it was published.'),
});

const ids = (what: string, example: string) =>
  described(z.array(id), `The ids of its ${what} that are in force now.`, [example]);

const json = (text: string, example: Record<string, unknown>) =>
  described(z.record(z.string(), z.unknown()), text, example);

export const shown = listed.extend({
  manifest: json('The manifest as written, with its references to files resolved.', {
    apiVersion: 'coreason.ai/v2',
    kind: 'Agent',
    metadata: { name: 'support team' },
  }),
  options: json('The options of its compilation.', { maxCostTotal: 25 }),
  files: described(
    z.record(z.string(), z.string()),
    'The texts of the files that the manifest names, by the paths that it states.',
    { 'score.py': 'def run(inputs, state, steps):\n    return {"score": 1}\n' },
  ),
  agents: ids('agents', 'support-team.clerk'),
  policies: ids('policies', 'support-team.clerk'),
  rules: ids('rules', 'support-team.clerk'),
});

const change = z.object({
  path: described(z.string(), 'Where it is in the manifest.', 'definitions.refund.risk_level'),
  category: described(
    z.enum(['BREAKING', 'GOVERNANCE', 'RESOURCE', 'FEATURE', 'PATCH']),
    'How much the change matters, the most important first.',
  ),
  change: described(z.enum(['added', 'removed', 'changed']), 'What happened.'),
  widens: described(
    z.boolean().nullable(),
    'Whether it gives an agent more. null: that cannot be told.',
    true,
  ),
});

export const compared = z.object({
  changes: described(z.array(change), 'What changed in the manifest, by category and path.'),
  highest: described(
    z.string().nullable(),
    'The most important category of these changes. null: nothing changed.',
    'GOVERNANCE',
  ),
});

const warning = z.object({
  code: described(z.string(), 'The kind of warning.', 'NO_DEFAULT'),
  file: described(z.string(), 'The file: `manifest.yaml` is the manifest itself.', 'manifest.yaml'),
  path: described(z.string(), 'Where it is in the manifest.', 'workflow.steps.route'),
  line: described(z.int().nullable(), 'The line, from 1. null: it is about no single place.', 12),
  column: described(z.int().nullable(), 'The column, from 1. null: as above.', 5),
  message: described(z.string(), 'What is doubtful.', 'has no default'),
});

export const published = z.object({
  id: manifestId,
  hash,
  isPublished: described(z.boolean(), 'Whether it was published. false: `dryRun` was set.', true),
  revision: described(
    count,
    'The revision of the change. If nothing was published, the present revision of the manifest, 0 if it does not exist: send it in If-Match.',
    42,
  ),
  version: described(
    z.int().min(1),
    'The version that was published, or that would be published, from 1.',
    3,
  ),
  since: described(z.int().nullable(), 'The version with which it is compared. null: there was none.', 2),
  ...compared.shape,
  documents: described(
    z.array(
      z.object({
        does: described(z.enum(['add', 'change', 'remove']), 'What happens to the document.'),
        kind: described(z.enum(['agent', 'policy', 'rule']), 'The kind of the document.'),
        id: described(id, 'The document.', 'support-team.clerk'),
      }),
    ),
    'The agents, policies and rules that change.',
  ),
  widens,
  warnings: described(z.array(warning), 'What is doubtful in the manifest.'),
});

/** Returns a version as lists show it. */
export function listedOf(
  { revision, versions, isRemoved }: ManifestHistory,
  id: string,
  number = versions.length,
): z.output<typeof listed> | null {
  const kept = versions[number - 1];
  if (kept === undefined) return null;
  const { hash, by, reason, at } = kept.document;
  const isLatest = number === versions.length;
  return {
    ...{ id, revision: isLatest ? revision : kept.revision, version: number },
    ...{ hash, isRemoved, by, reason, publishedAt: at },
  };
}
