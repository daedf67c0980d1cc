/** The cases of reading a manifest with the files that its definitions refer to. */
import { filesInMemory, loadAgentManifest } from '@mandate/agent-manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const loadCase = z.object({
  given: z.strictObject({ files: z.record(z.string(), z.string()), main: z.string() }),
  // biome-ignore lint/suspicious/noThenProperty: the word of the cases; the object is never awaited
  then: z.strictObject({
    ok: z.boolean(),
    faults: z.array(z.strictObject({ code: z.string(), path: z.string() })),
    definition: z.unknown().optional(),
  }),
});

test.each(agentManifestCases('load'))('$id: finds the definition in a file', (one) => {
  const { given, then } = loadCase.parse(one);
  const read = loadAgentManifest(filesInMemory(given.files), given.main);
  expect({
    ok: read.ok,
    faults: read.ok ? [] : read.faults.map(({ code, path }) => ({ code, path })),
    ...(read.ok && { definition: read.manifest.definitions?.search }),
  }).toEqual(then);
});
