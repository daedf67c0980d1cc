/** The gate gives the answers that were computed independently. */
import { gateViolations } from '@mandate/agent-manifest';
import { agentManifestDocument, gateDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

test.each(agentManifestCases('govern'))('$id', ({ given, then }) => {
  const manifest = agentManifestDocument.parse(given.manifest);
  const { passed, violations } = gateViolations(manifest, gateDocument.parse(given.config));
  const found = violations.map(({ message: _, ...violation }) => violation);
  expect({ passed, violations: found }).toEqual(then);
});
