import { readGraphRecipe } from '@mandate/agent-manifest';
import { expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

type Found = { code: string; path: string };

test.each(agentManifestCases('validate_graph'))('$id: finds the faults of a graph', ({ given, then }) => {
  const read = readGraphRecipe(JSON.stringify(given.manifest));
  const faults = read.ok ? [] : read.faults;
  const warnings = read.ok ? read.warnings : [];
  expect({ ok: read.ok, faults: sorted(faults), warnings: sorted(warnings) }).toEqual({
    ...then,
    faults: sorted(then.faults),
    warnings: sorted(then.warnings),
  });
});

function sorted(found: unknown): Found[] {
  if (!Array.isArray(found)) throw new Error('a case has lists of faults and warnings');
  return found
    .map(({ code, path }: Found) => ({ code, path }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}
