import { diffManifests } from '@mandate/agent-manifest';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

test.each(agentManifestCases('diff'))('$id: says what changed', ({ given, then }) => {
  const [old, now] = [given.old, given.new].map((manifest) => agentManifestDocument.parse(manifest));
  if (old === undefined || now === undefined) throw new Error('a case has two manifests');
  expect(diffManifests(old, now)).toEqual(then);
});
