import { importManifest } from '@mandate/agent-manifest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { importedText } from './imported-text.ts';

test('an imported manifest is read back unchanged, whatever its texts contain', () => {
  const run = (name: string, role: string, backstory: string) => {
    const text = JSON.stringify({ a: { role, goal: name, backstory } });
    const imported = importManifest([{ path: 'a\n# b.yaml', text }], 'crewai', { name });
    if (!imported.ok) return;
    expect(parse(importedText(imported, 'limits.yaml'))).toEqual(imported.manifest);
  };
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'\n\t #:-{}[]*&!|>\'"%@`ab') }),
  );
  fc.assert(fc.property(text, text, text, run), { numRuns: 300 });
});
