import { expect, test } from 'vitest';
import { codesOf, loadChanged } from '../documents.fixture.ts';

function widenedBy(overlay: object, policy: object = {}): string[] {
  const loaded = loadChanged({ overlay, policy });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return codesOf(loaded.warnings)
    .filter((code) => code.startsWith('OVERLAY_WIDENS'))
    .map((code) => code.replace('OVERLAY_WIDENS ', ''));
}

const tool = (permission: object | null) => ({ tool_permissions: { make_cards: permission } });
const read = (part: object) => ({ memory_policies: { read: part } });
const write = (part: object) => ({ memory_policies: { write: part } });
const output = (content: unknown) => ({ guardrails: { output: { blocked_content: content } } });

test.each<[string, object, string]>([
  ['another role', tool({ allowed_roles: ['user', 'guest'] }), 'tool_permissions.make_cards.allowed_roles'],
  ['more calls', tool({ rate_limit: { requests: 21 } }), 'tool_permissions.make_cards.rate_limit'],
  ['a shorter window', tool({ rate_limit: { window: '30m' } }), 'tool_permissions.make_cards.rate_limit'],
  ['no rate', tool({ rate_limit: null }), 'tool_permissions.make_cards.rate_limit'],
  [
    'a rate as text with more calls',
    tool({ rate_limit: '21/hour' }),
    'tool_permissions.make_cards.rate_limit',
  ],
  [
    'no confirmation of a sensitive tool',
    { tool_permissions: { change_plan: { requires_confirmation: false } } },
    'tool_permissions.change_plan.requires_confirmation',
  ],
  ['a role that did not exist', { roles: [{ id: 'guest' }, { id: 'user' }, { id: 'admin' }] }, 'roles'],
  ['no isolation', read({ user_isolation: false }), 'memory_policies.read.user_isolation'],
  [
    'one more store',
    read({ intent_mapping: { cards: ['episodic', 'semantic'] } }),
    'memory_policies.read.intent_mapping.cards',
  ],
  [
    'a higher limit of results',
    read({ max_results: { episodic: 6 } }),
    'memory_policies.read.max_results.episodic',
  ],
  ['no limit of results', read({ max_results: null }), 'memory_policies.read.max_results.episodic'],
  ['a choice for the model', read({ llm_cannot: ['select_store'] }), 'memory_policies.read.llm_cannot'],
  ['a save for the model', write({ llm_cannot: [] }), 'memory_policies.write.llm_cannot'],
  ['no principle', { memory_policies: { core_principle: null } }, 'memory_policies.core_principle'],
  [
    'a store that is written to',
    write({ triggers: { semantic: { event: 'message_sent', condition: 'always' } } }),
    'memory_policies.write.triggers.semantic',
  ],
  [
    'a longer time',
    write({ save_rules: { episodic: { ttl: '31d' } } }),
    'memory_policies.write.save_rules.episodic.ttl',
  ],
  [
    'another condition of a save',
    write({ save_rules: { episodic: { condition: 'message_length > 10' } } }),
    'memory_policies.write.save_rules.episodic',
  ],
  ['longer texts', { guardrails: { input: { max_length: 4_001 } } }, 'guardrails.input.max_length'],
  [
    'more calls a turn',
    { guardrails: { agent: { max_tool_calls_per_turn: 4 } } },
    'guardrails.agent.max_tool_calls_per_turn',
  ],
  [
    'another pattern',
    { guardrails: { input: { blocked_patterns: ['(jail)break'] } } },
    'guardrails.input.blocked_patterns',
  ],
  ['no filters', output(null), 'guardrails.output.blocked_content'],
  [
    'a filter that is off',
    output([{ pii_detection: false }, { profanity_filter: true }]),
    'guardrails.output.blocked_content',
  ],
  [
    'a narrower filter',
    output([{ pii_detection: { types: ['email'] } }, { profanity_filter: true }]),
    'guardrails.output.blocked_content',
  ],
  [
    'other words',
    output([{ pii_detection: true }, { profanity_filter: { words: ['damn'] } }]),
    'guardrails.output.blocked_content',
  ],
  [
    'a field that is not redacted',
    { audit: { sensitive_fields: { redact: [] } } },
    'audit.sensitive_fields.redact',
  ],
  [
    'a hashed field that is redacted instead',
    { audit: { sensitive_fields: { redact: ['password', 'user_id'], hash: [] } } },
    'audit.sensitive_fields.hash',
  ],
])('warns of %s', (_name, overlay, path) => {
  expect(widenedBy(overlay)).toEqual([path]);
});

test.each<[string, object]>([
  ['the same again', tool({ allowed_roles: ['user'], rate_limit: { requests: 20, window: '60m' } })],
  ['fewer calls in a longer window', tool({ rate_limit: '10/day' })],
  ['a confirmation', tool({ requires_confirmation: true })],
  ['no permission', tool(null)],
  ['no roles for a tool', tool({ allowed_roles: [] })],
  ['fewer stores', read({ intent_mapping: { cards: [] } })],
  ['an intent that reads as the fallback does', read({ intent_mapping: { cards: null } })],
  [
    'a store that is never written',
    write({ triggers: { episodic: { event: 'message_sent', condition: 'never' } } }),
  ],
  ['a shorter time', write({ save_rules: { episodic: { ttl: '24h' } } })],
  ['one more pattern', { guardrails: { input: { blocked_patterns: ['sudo', 'jailbreak'] } } }],
  ['a filter that blocks', output([{ pii_detection: { action: 'block' } }, { profanity_filter: true }])],
  ['the same field in another spelling', { audit: { sensitive_fields: { redact: ['Pass-Word'] } } }],
  ['fewer events and another level', { audit: { log_events: [], log_level: 'debug' } }],
])('does not warn of %s', (_name, overlay) => {
  expect(widenedBy(overlay)).toEqual([]);
});

test('warns of a filter that redacts instead of blocking', () => {
  const blocked = output([{ pii_detection: { action: 'block' } }]);
  expect(widenedBy(output([{ pii_detection: true }]), blocked)).toEqual([
    'guardrails.output.blocked_content',
  ]);
});

test('warns of a permission that the base does not have', () => {
  expect(widenedBy(tool({ allowed_roles: ['user'] }), tool(null))).toEqual(['tool_permissions.make_cards']);
});

test('warns of a rate that replaces an unreadable rate', () => {
  expect(widenedBy(tool({ rate_limit: '1/day' }), tool({ rate_limit: 'often' }))).toEqual([
    'tool_permissions.make_cards.rate_limit',
  ]);
});
