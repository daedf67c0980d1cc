import { PassThrough } from 'node:stream';
import type { Explanation } from '@mandate/plane';
import type { Shadow } from '@mandate/schemas';
import { buildDecision } from '@mandate/testing';
import { expect, test } from 'vitest';
import { explanationPage } from './explanation-page.ts';

type Others = Explanation['before'];

const NOW_MS = Date.parse('2026-01-31T14:00:00Z');

const other = (id: string, apartMs: number): Others['decisions'][number] => ({
  id,
  kind: 'first',
  actionId: 'pay-1',
  attempt: 1,
  agentId: 'payer',
  type: 'tool_call',
  tool: 'pay',
  model: null,
  verdict: 'ALLOW',
  code: 'ALLOWED',
  reason: 'Every check passed.',
  chargedMicros: 0,
  charged: '$0.00',
  decidedAt: '2026-01-31T13:59:00.000Z',
  apartMs,
});

const list = (...decisions: Others['decisions']): Others => ({ decisions, more: false });

function page(given: Partial<Explanation>, decided: Parameters<typeof buildDecision>[1]): string {
  const decision = buildDecision(1, decided);
  const told: Explanation = {
    event: 'action.decided',
    decision,
    log: { topic: 'mandate.decisions.v1', partition: 0, offset: 1 },
    asOf: '2026-01-31T14:00:00.000Z',
    traceId: null,
    mandate: null,
    policyVersions: [],
    checks: [],
    change: { needs: [], near: [], unasked: [], askAgainAs: null },
    limits: { budgets: [], units: [], rates: [] },
    settlements: [],
    approvals: [],
    kills: [],
    killsAfter: [],
    before: list(),
    after: list(),
    sameAction: list(),
    duplicates: list(),
    parents: list(),
    children: list(),
    trace: list(),
    ...given,
  };
  return explanationPage(told, new PassThrough(), NOW_MS);
}

test('shows the later decision on a deferred action once, in the most specific section', () => {
  const [itself, came, more] = [buildDecision(1, { appendedAtMs: NOW_MS }).id, 'dec_came', 'dec_more'];
  const said = page(
    {
      after: list(other(came, 5_000), other(more, 6_000)),
      sameAction: list(other(came, 5_000)),
      trace: list(other(itself, 0), other(came, 5_000)),
    },
    { appendedAtMs: NOW_MS, verdict: 'DEFER', code: 'APPROVAL_REQUIRED' },
  );
  const places = said.split('\n\n').filter((section) => section.includes(came));
  expect(places).toEqual([expect.stringMatching(/^Others on the same action\n {2}dec_came {2}5 s after /)]);
  expect(said).toMatch(/\nAfter it\n {2}dec_more /);
  expect(said).not.toContain('trace');
});

test('shows a kill right after an ALLOW, and its effect on callers that waited', () => {
  const kill: Explanation['killsAfter'][number] = {
    id: 'kil_1',
    event: 'agent.killed',
    scope: 'agent',
    agentId: 'payer',
    by: 'ann',
    reason: 'it loops',
    answer: null,
    ledgerSequence: 2,
    ledgerEpoch: 'ep',
    happenedAt: '2026-01-31T13:59:00.000Z',
    words: 'This agent was killed 16 ms later.',
  };
  expect(page({ killsAfter: [kill] }, { appendedAtMs: NOW_MS })).toMatch(
    /\n\nKilled right after it\n {2}2026-01-31T13:59:00\.000Z \(.*\) {2}agent\.killed agent by ann: it loops\n {2}This agent was killed 16 ms later\.\n/,
  );
});

test('shows a limit with its policy and the rules that gave it', () => {
  const bound = (policy: string | null, ...rules: string[]): Explanation['checks'][number] => ({
    ...{ check: 'tool-allowed', result: 'pass', words: 'It passed.' },
    bound: { field: 'allowedTools', mandate: { id: 'm', hash: 'h' }, policy, rules },
  });
  const checks = [bound('reads@1', 'r', 's'), bound('tenant t@3'), bound(null)];
  expect(page({ checks }, { appendedAtMs: NOW_MS }).match(/\[allowedTools.*\]/g)).toEqual([
    '[allowedTools, reads@1 by the rule "r" and 1 more]',
    '[allowedTools, tenant t@3]',
    '[allowedTools]',
  ]);
});

test('shows who published each version of a policy, and the reason', () => {
  const published = { changeId: 'chg_1', by: 'ann (key_1)', publishedAt: '2026-01-31T13:00:00.000Z' };
  const policyVersions = [
    { policy: 'reads@12', published: { ...published, reason: 'ticket 4711' } },
    { policy: 'sums@1', published: { ...published, reason: '' } },
    { policy: 'old@1', published: null },
  ];
  expect(page({ policyVersions }, { appendedAtMs: NOW_MS })).toContain(
    [
      '\n\nPolicies',
      '  reads@12 published 2026-01-31T13:00:00.000Z (1 h ago) by ann (key_1): ticket 4711',
      '  sums@1   published 2026-01-31T13:00:00.000Z (1 h ago) by ann (key_1): no reason given',
      '  old@1    its publication is not on record\n',
    ].join('\n'),
  );
  expect(page({}, { appendedAtMs: NOW_MS })).not.toContain('\nPolicies');
});

test('shows times and remedies in words for people', () => {
  const rate = { tool: null, windowMs: 90_000, before: 3, after: 3, maxCalls: 3 };
  const said = page(
    { limits: { budgets: [], units: [], rates: [rate] } },
    {
      appendedAtMs: NOW_MS,
      verdict: 'BLOCK',
      code: 'RATE_LIMIT_EXCEEDED',
      reason: 'All calls are limited to 3 in 90000 ms; 3 were made.',
      remedy: 'Try again after retryAfterMs.',
      retryAfterMs: 61_000,
    },
  );
  expect(said).toContain('All calls are limited to 3 in 90 s; 3 were made.');
  expect(said).toContain('Try again after 1 min 1 s.');
  expect(said).toContain('rate of all calls per 90 s: 3 -> 3 of 3');
});

test('shows below the reason what shadow rules would have decided, or why this is unknown', () => {
  const shadow = { unknownLimits: 0, rules: ['no-echo', 'slow'], policies: ['p@1'] };
  const headline = (said: Partial<Shadow>) =>
    page({}, { appendedAtMs: NOW_MS, shadow: { ...shadow, verdict: 'UNKNOWN', code: null, ...said } }).split(
      '\n\n',
    )[0];
  expect(headline({ verdict: 'BLOCK', code: 'TOOL_DENIED' })).toMatch(
    /\n {2}If no-echo, slow were in force, the decision would be BLOCK \(TOOL_DENIED\)\.$/,
  );
  expect(headline({ unknownLimits: 2 })).toContain(
    'is not known, because the ledger was not asked for 2 limits',
  );
  expect(headline({})).toContain('is not known, because a rule or a policy begins or ends at that time');
});

test('shows the obligations, notes and events of an allowed prompt, read and save', () => {
  const shown = (decided: Partial<Parameters<typeof buildDecision>[1]>) =>
    page({}, { appendedAtMs: NOW_MS, ...decided })
      .split('\n\n')
      .find((section) => section.startsWith('Obligations, notes and events'))
      ?.split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/ +/g, ' '));
  expect(shown({})).toBeUndefined();
  const intent = { id: 'cards', by: 'keyword', trigger: 'cards', length: 5, others: [] };
  const prompt = {
    intent: { ...intent, entities: { count: 5 }, missing: ['level'], invalid: [] },
    tools: ['make_cards'],
    specialists: [],
    stores: [{ store: 'stm', maxResults: null }],
    filter: { field: 'user_id', is: 'principal.id' },
  };
  expect(shown({ obligations: prompt, events: ['intent_classification'] })).toEqual([
    'intent cards, by keyword; count 5; missing: level',
    'tools make_cards',
    'specialists none',
    'stores stm (no limit)',
    'filter user_id is principal.id',
    'events intent_classification',
  ]);
  const read = {
    obligations: { stores: [{ store: 'episodic', maxResults: 5 }] },
    notes: [{ code: 'RESULTS_CLAMPED' as const, store: 'episodic', asked: 9, given: 5 }],
  };
  expect(shown(read)).toEqual([
    'stores episodic (at most 5)',
    'RESULTS_CLAMPED {"store":"episodic","asked":9,"given":5}',
  ]);
  const save = { store: 'ltm', scope: 'permanent', rule: 'permanent', ttlMs: null, expiresAt: null };
  const saved = {
    obligations: { decidedBy: 'permanent', saves: [save] },
    violations: [{ rule: 'force_save', field: 'hints.save' }],
  };
  expect(shown(saved)).toEqual([
    'decidedBy permanent',
    'saves to ltm by permanent, for ever',
    'not for the model hints.save (force_save)',
  ]);
});

test('shows an obligation in an unknown form as JSON', () => {
  const said = page({}, { appendedAtMs: NOW_MS, obligations: { stores: 'all', later: { x: 1 } } });
  expect(said).toMatch(/stores +all\n +later +\{"x":1\}/);
});
