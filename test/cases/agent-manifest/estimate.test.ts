/** A call costs by the price of a manifest what was computed independently. */
import { estimatedMicros } from '@mandate/agent-manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const estimate = z.strictObject({
  price: z.strictObject({
    perRequestMicros: z.int(),
    inputMicrosPerMillion: z.int(),
    outputMicrosPerMillion: z.int(),
    perSecondMicros: z.int(),
  }),
  inputTokens: z.int(),
  maxOutputTokens: z.int(),
  seconds: z.number(),
});

test.each(agentManifestCases('estimate'))('$id', ({ given, then }) => {
  const { price, ...size } = estimate.parse(given);
  expect({ estimatedCostMicros: estimatedMicros(price, size) }).toEqual(then);
});
