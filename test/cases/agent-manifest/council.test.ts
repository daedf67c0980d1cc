/** Tests the council of a workflow against the cases: what the votes decide. */
import { countVotes } from '@mandate/agent-manifest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const given = z.strictObject({
  voters: z.array(z.string()),
  strategy: z.enum(['consensus', 'majority', 'unanimous', 'weighted']),
  ballots: z.record(z.string(), z.unknown()),
  options: z.array(z.string()).optional(),
  weights: z.record(z.string(), z.number()).optional(),
  undecided: z.string().optional(),
});

describe('a council', () => {
  test.each(agentManifestCases('council'))('$id', ({ given: council, then: expected }) => {
    const result = countVotes(given.parse(council));
    const step = result.decision === null ? 'COUNCIL_UNDECIDED' : 'completed';
    expect({ ...result, step }).toEqual(expected);
  });
});
