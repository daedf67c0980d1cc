/** The cases of reading one manifest: faults and warnings with their places. */
import { readAgentManifest } from '@mandate/agent-manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const place = z.strictObject({
  code: z.string(),
  path: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
});
const validateCase = z.object({
  given: z.strictObject({
    text: z.string(),
    options: z
      .strictObject({
        models: z.array(z.string()).optional(),
        directModels: z.enum(['known', 'any', 'never']).optional(),
      })
      .default({}),
  }),
  // biome-ignore lint/suspicious/noThenProperty: the word of the cases; the object is never awaited
  then: z.strictObject({ ok: z.boolean(), faults: z.array(place), warnings: z.array(place) }),
});

test.each(agentManifestCases('validate'))('$id: reports the faults and warnings of a manifest', (one) => {
  const { given, then } = validateCase.parse(one);
  const { models = [], directModels = 'known' } = given.options;
  const read = readAgentManifest(given.text, { models, directModels });
  const faults = read.ok ? [] : read.faults;
  const warnings = read.ok ? read.warnings : [];
  expect({
    ok: read.ok,
    faults: faults.map((fault, index) => asIn(fault, then.faults[index])),
    warnings: warnings.map((warning, index) => asIn(warning, then.warnings[index])),
  }).toEqual(then);
});

type Place = z.infer<typeof place>;

/** A place is compared only if the case names one. */
function asIn({ code, path, line, column }: Place, expected: Place | undefined): Place {
  return expected?.line === undefined ? { code, path } : { code, path, line, column };
}
