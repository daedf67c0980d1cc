/** Tests the switch of a workflow against the cases: which step a run goes on to. */
import { chooseCase } from '@mandate/agent-manifest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const given = z.strictObject({
  cases: z.record(z.string(), z.string()),
  default: z.string().optional(),
  variables: z.record(z.string(), z.unknown()),
  schemas: z.record(z.string(), z.unknown()).optional(),
});

describe('a switch', () => {
  test.each(agentManifestCases('switch'))('$id', ({ given: switched, then: expected }) => {
    const chosen = chooseCase(given.parse(switched));
    // Messages are not compared.
    expect('next' in chosen ? chosen : { failed: chosen.failed }).toEqual(expected);
  });
});
