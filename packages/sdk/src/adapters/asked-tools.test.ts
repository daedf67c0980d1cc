import { CAPS } from '@mandate/schemas/core';
import { expect, test } from 'vitest';
import { askedTools } from './asked-tools.ts';

test('counts calls by tool, and each place of an answer once', () => {
  const asked = askedTools();
  expect(asked.counts()).toEqual([]);
  asked.saw('0', undefined);
  for (const place of ['0', '0', '1']) asked.saw(place, 'read');
  asked.saw('2', '__proto__');
  expect(asked.counts()).toEqual([
    { tool: 'read', calls: 2 },
    { tool: '__proto__', calls: 1 },
  ]);
});

test('counts calls with impossible tool names under the empty name', () => {
  const asked = askedTools();
  for (const [place, name] of ['two words', 'a\u200bb', 'x'.repeat(CAPS.idUnits + 1)].entries()) {
    asked.saw(String(place), name);
  }
  expect(asked.counts()).toEqual([{ tool: '', calls: 3 }]);
});

test('keeps a limited number of names and places, whatever the model writes', () => {
  const asked = askedTools();
  for (let at = 0; at < CAPS.toolCallsPerAnswer + 10; at += 1) asked.saw(`${at}`, `tool-${at}`);
  const counts = asked.counts();
  expect(counts).toHaveLength(CAPS.toolsPerAnswer);
  expect(counts.at(-1)).toEqual({ tool: '', calls: CAPS.toolCallsPerAnswer - CAPS.toolsPerAnswer + 1 });
});
