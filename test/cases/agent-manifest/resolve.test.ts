import { catalogOf, findDefinition, toolNameOf } from '@mandate/agent-manifest';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

test.each(agentManifestCases('resolve'))('$id: finds what a reference leads to', ({ given, then }) => {
  const catalog = catalogOf(agentManifestDocument.parse(given.manifest));
  expect(resolved(catalog, String(given.kind), String(given.reference))).toEqual(then);
});

function resolved(catalog: ReturnType<typeof catalogOf>, kind: string, reference: string): object {
  if (kind === 'tool') {
    const read = findDefinition(catalog, 'tool', reference);
    if (read.found === 'remote') return { found: 'remote', toolName: read.toolName };
    if (read.found !== 'ok') return read;
    return { found: 'ok', definition: read.entry.path, toolName: toolNameOf(read.entry) };
  }
  if (kind !== 'agent' && kind !== 'skill' && kind !== 'resource') throw new Error(`no kind ${kind}`);
  const read = findDefinition(catalog, kind, reference);
  return read.found === 'ok' ? { found: 'ok', definition: read.entry.path } : read;
}
