import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consoleLink } from './console-link.ts';

const CONSOLE = 'https://console.example.com/m';

test.each([
  ['an approval', { approvalId: 'apv_WyJh', decisionId: 'd1', agentId: 'bot' }, '/approvals/apv_WyJh'],
  ['a decision', { decisionId: 'req/1#2?', agentId: 'bot' }, '/decisions/req%2F1%232%3F'],
  ['an agent', { agentId: 'team/ü bot' }, '/agents/team%2F%C3%BC%20bot'],
  ['nothing with a page', { percent: 80 }, '/system'],
  ['an agent whose id is a step in a path', { agentId: '..' }, '/system'],
  ['an agent whose id is no text in Unicode', { agentId: 'a\ud800' }, '/system'],
  [
    'an approval with a long id',
    { approvalId: `apv_${'x'.repeat(2_000)}`, decisionId: 'd1' },
    '/decisions/d1',
  ],
])('an alert about %s links to its page', (_name, facts, path) => {
  expect(consoleLink(CONSOLE, { facts })).toBe(CONSOLE + path);
});

test('there is no link without a console', () => {
  expect(consoleLink(null, { facts: { agentId: 'bot' } })).toBe(null);
});

test('whatever an agent is called, its link stays below the pages of agents', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), (agentId) => {
      const link = consoleLink(CONSOLE, { facts: { agentId } }) ?? '';
      const { origin, pathname, search, hash } = new URL(link);
      expect([origin, search, hash]).toEqual(['https://console.example.com', '', '']);
      expect(pathname).toMatch(/^\/m\/(?:agents\/[^/]+|system)$/);
    }),
  );
});
