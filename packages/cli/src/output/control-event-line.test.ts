import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { controlEventLine, type ShownControlEvent } from './control-event-line.ts';

const FILE = new Writable();
const TERMINAL = Object.assign(new Writable(), {
  isTTY: true,
  columns: 80,
  hasColors: () => true,
  getColorDepth: () => 8,
});

const TODAY = Date.parse('2026-01-30T23:59:59.999Z');

const NONE: ShownControlEvent = {
  event: '',
  happenedAt: '2026-01-30T12:00:00.123Z',
  scope: null,
  agentId: null,
  by: 'ops (key_1)',
  reason: 'incident 42',
  budgetScope: null,
  budgetSubject: null,
  budgetId: null,
  budgetWindowMs: null,
  deltaMicros: null,
  actionId: null,
  answer: null,
  ledgerEpoch: null,
};
const killed: Partial<ShownControlEvent> = { event: 'agent.killed', scope: 'all' };
const approved: Partial<ShownControlEvent> = {
  event: 'approval.recorded',
  agentId: 'bot',
  actionId: 'act_1',
  answer: 'granted',
};
const adjusted: Partial<ShownControlEvent> = {
  event: 'budget.adjusted',
  budgetScope: 'agent',
  budgetSubject: 'bot',
  budgetId: 'total',
  deltaMicros: -500_000,
};

test.each<[string, Partial<ShownControlEvent>]>([
  ['KILLED everything by ops (key_1): incident 42', killed],
  ['KILLED every agent of the tenant by ops (key_1): incident 42', { ...killed, scope: 'tenant' }],
  ['KILLED bot by ops (key_1)', { ...killed, scope: 'agent', agentId: 'bot', reason: '' }],
  ['REVIVED everything by ops (key_1): incident 42', { ...killed, event: 'agent.revived' }],
  ['GRANTED act_1 of bot by ops (key_1): incident 42', approved],
  ['DENIED act_1 of bot by ops (key_1): incident 42', { ...approved, answer: 'denied' }],
  ['ADJUSTED total of agent bot, -$0.50 by ops (key_1): incident 42', adjusted],
  [
    'ADJUSTED team per 1 d of the tenant, $0.25 by ops (key_1): incident 42',
    {
      ...adjusted,
      budgetScope: 'tenant',
      budgetSubject: '',
      budgetId: 'team',
      budgetWindowMs: 86_400_000,
      deltaMicros: 250_000,
    },
  ],
  [
    'LEDGER begins ep_1: rebuilt',
    { event: 'ledger.epoch', ledgerEpoch: 'ep_1', by: null, reason: 'rebuilt' },
  ],
  [
    'REGISTERED agent bot by ops (key_1): incident 42',
    { event: 'agent.put', agentId: 'bot', subject: 'bot' },
  ],
  [
    'RETIRED agent bot by ops (key_1): incident 42',
    { event: 'agent.retired', agentId: 'bot', subject: 'bot' },
  ],
  [
    'ISSUED key k1 of bot by ops (key_1): incident 42',
    { event: 'key.issued', agentId: 'bot', subject: 'k1' },
  ],
  [
    'REVOKED key k1 of bot by ops (key_1): incident 42',
    { event: 'key.revoked', agentId: 'bot', subject: 'k1' },
  ],
  ['ISSUED key k2 of a role by ops (key_1): incident 42', { event: 'role.granted', subject: 'k2' }],
  [
    'ISSUED key k2 with the role viewer to ann by ops (key_1): incident 42',
    { event: 'role.granted', subject: 'k2', role: 'viewer', keyName: 'ann' },
  ],
  ['REVOKED key k2 of a role by ops (key_1): incident 42', { event: 'role.revoked', subject: 'k2' }],
  [
    'PUBLISHED policy reads@4 by ops (key_1): incident 42',
    { event: 'policy.published', subject: 'reads', policyVersion: 4, refusal: null },
  ],
  [
    'NOT PUBLISHED policy reads (REVISION_CONFLICT) by ops (key_1): incident 42',
    { event: 'policy.published', subject: 'reads', policyVersion: null, refusal: 'REVISION_CONFLICT' },
  ],
  ['ARCHIVED policy reads by ops (key_1): incident 42', { event: 'policy.archived', subject: 'reads' }],
  ['CHANGED rule r1 by ops (key_1): incident 42', { event: 'rule.put', subject: 'r1' }],
  ['REMOVED rule r1 by ops (key_1): incident 42', { event: 'rule.removed', subject: 'r1' }],
  [
    'ISSUED grant mnd_1 to bot by ops (key_1): incident 42',
    { event: 'grant.issued', agentId: 'bot', subject: 'mnd_1' },
  ],
  ['REVOKED grant mnd_1 by ops (key_1): incident 42', { event: 'grant.revoked', subject: 'mnd_1' }],
  ['OPENED tenant acme by ops (key_1): incident 42', { event: 'tenant.put', subject: 'acme' }],
  ['CLOSED tenant acme by ops (key_1): incident 42', { event: 'tenant.closed', subject: 'acme' }],
  ['REORDERED the rules by ops (key_1): incident 42', { event: 'rules.reordered' }],
  ['AGENT.PAUSED bot by ops (key_1): incident 42', { event: 'agent.paused', agentId: 'bot' }],
  ['KILLED a\\u{1b}[2J by ops (key_1)', { ...killed, scope: 'agent', agentId: 'a\u001b[2J', reason: '' }],
])('%s', (line, given) => {
  expect(controlEventLine({ ...NONE, ...given }, FILE, TODAY)).toBe(`12:00:00.123  ${line}`);
});

test('shows one line of 80 characters in colour on a terminal, with a kill in red, and the full text in a file', () => {
  const event = { ...NONE, ...killed, reason: 'x'.repeat(100) };
  const painted = controlEventLine(event, TERMINAL, TODAY);
  expect(painted).toContain('\u001b[31mKILLED\u001b[39m everything');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
  const plain = painted.replace(/\u001b\[\d+m/g, '');
  expect(plain).toHaveLength(80);
  expect(plain).toMatch(/x…$/);
  expect(controlEventLine(event, FILE, TODAY)).toMatch(/x{100}$/);
});
