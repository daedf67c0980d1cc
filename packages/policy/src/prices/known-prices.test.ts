import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadMandates } from '../mandate/load-mandates.ts';
import { knownPrices, LISTS_PUBLISHED } from './known-prices.ts';

const atMs = Date.parse('2026-11-01T12:00:00Z');

test('lists each price of a model, also the price of long inputs', () => {
  const found = knownPrices([], 'ANTHROPIC/claude-sonnet-4-5', atMs).filter(
    ({ provider, model }) => provider === 'anthropic' && model === 'claude-sonnet-4-5',
  );
  expect(
    found.map(({ fromInputTokens, inputMicros, cachedInputMicros }) => [
      fromInputTokens,
      inputMicros,
      cachedInputMicros,
    ]),
  ).toEqual([
    [0, 3_000_000, 300_000],
    [200_001, 6_000_000, 600_000],
  ]);
});

test('lists the prices of mandates first, without a provider', () => {
  const loaded = loadMandates(
    'version: 1\nid: m\nagents: ["*"]\nmodelPrices: { gpt-4o: { inputPerMillion: 2, outputPerMillion: 8 } }',
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const [first, ...others] = knownPrices(loaded.mandates, 'gpt-4o', atMs);
  expect(first).toMatchObject({
    provider: null,
    model: 'gpt-4o',
    inputMicros: 2_000_000,
    cachedInputMicros: 2_000_000,
  });
  expect(others.length).toBeGreaterThan(5);
  expect(knownPrices(loaded.mandates, 'no-such-model', atMs)).toEqual([]);
});

test('states the same day of the lists as docs/llm-calls.md', () => {
  const page = readFileSync(new URL('../../../../docs/llm-calls.md', import.meta.url), 'utf8');
  expect(page).toContain(`published on ${LISTS_PUBLISHED}`);
});
