import { chartOf } from '@mandate/agent-manifest';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

test.each(agentManifestCases('chart'))('$id: draws the workflow', ({ given, then }) => {
  expect({ mermaid: chartOf(agentManifestDocument.parse(given.manifest)) }).toEqual(then);
});
