import type { PolicyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { shownPolicies } from './applied-policies.ts';

test('lists policies by name, and with `expand` adds as many of their documents as fit into an answer', () => {
  const large = { version: 1, id: 'large', allowedTools: ['x'.repeat(1_000_000)] } as PolicyDocument;
  const names = Array.from({ length: 20 }, (_, at) => `p-${at}`);
  const policies = new Map(names.map((name) => [name, large]));
  const named = names.map((name) => ({ name, isMissing: false }));
  expect(shownPolicies(policies, {})).toEqual(named);
  const shown = shownPolicies(policies, { expand: 'policies' });
  expect(shown.slice(0, 8).every(({ policy }) => policy === large)).toBe(true);
  expect(shown.slice(8)).toEqual(named.slice(8));
  const missing = new Map([['gone@1', null]]);
  expect(shownPolicies(missing, { expand: 'policies' })).toEqual([{ name: 'gone@1', isMissing: true }]);
});
