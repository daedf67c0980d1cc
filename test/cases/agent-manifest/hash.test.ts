import { hashOfManifest } from '@mandate/agent-manifest';
import { readOneDocument } from '@mandate/policy/one-document';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const given = z.strictObject({ texts: z.array(z.string()) });

test.each(agentManifestCases('hash'))('$id: hashes the document as written', (line) => {
  const hashes = given.parse(line.given).texts.map(hashOfText);
  expect({ same: new Set(hashes).size === 1, hashes }).toEqual(line.then);
});

function hashOfText(text: string): string {
  const read = readOneDocument(text, { what: 'manifest' }, 1);
  if (!read.ok) throw new Error(read.faults[0]?.message);
  return hashOfManifest(agentManifestDocument.parse(read.value));
}
