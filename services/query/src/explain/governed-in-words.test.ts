/** Sentences about the checks of manifests, and the fields of the policy that set their limits. */
import type { Check } from '@mandate/schemas';
import { buildDecision } from '@mandate/testing';
import { expect, test } from 'vitest';
import { boundOf } from './bound-of.ts';
import { checkInWords } from './check-in-words.ts';

const DECISION = buildDecision(1, {
  appendedAtMs: Date.UTC(2026, 0, 31),
  mandate: { id: 'team', hash: 'sha256:1', rules: [], policies: [] },
});
const TURN = { turnId: 'p1', intent: 'chat', openedAtMs: 5, timeoutMs: 60_000 };
const GUARDS = 'governance.guardrails';
const AGENT = `${GUARDS}.agent`;
const READS = 'governance.memory_policies.read';

test.each<[Check['check'], Check['result'], Check['evidence'], string, string | null]>([
  ['role-known', 'pass', { role: 'user' }, 'The role "user" is declared.', 'governance.roles'],
  [
    'role-known',
    'block',
    { role: 'x', roles: ['user', 'admin'] },
    'The role "x" is none of the declared roles: "user", "admin".',
    'governance.roles',
  ],
  [
    'role-known',
    'block',
    { role: null, roles: [] },
    'The action names no role of a person.',
    'governance.roles',
  ],
  [
    'role-allowed',
    'pass',
    { tool: 't', role: 'user' },
    'A person with the role "user" may use the tool "t".',
    'toolPolicies.look.roles',
  ],
  [
    'role-allowed',
    'block',
    { tool: 't', role: 'user', roles: [] },
    'A person with the role "user" may not use the tool "t".',
    'toolPolicies.look.roles',
  ],
  [
    'input-length',
    'pass',
    { length: 3, maxLength: 5 },
    'The prompt has 3 characters; at most 5 are allowed.',
    `${GUARDS}.input.max_length`,
  ],
  [
    'output-length',
    'block',
    { length: 6, maxLength: 5 },
    'The answer has 6 characters; at most 5 are allowed.',
    `${GUARDS}.output.max_length`,
  ],
  [
    'input-patterns',
    'pass',
    { patterns: 2 },
    'None of the 2 blocked patterns matches the prompt.',
    `${GUARDS}.input.blocked_patterns`,
  ],
  [
    'intent',
    'pass',
    { intent: 'chat', by: 'keyword', length: 4 },
    'The intent is "chat", by a keyword of 4 characters.',
    'governance.intents',
  ],
  [
    'intent',
    'pass',
    { intent: 'chat', by: 'fallback', length: 0 },
    'No keyword and no pattern was found, so the intent is the fallback, "chat".',
    'governance.intents',
  ],
  ['argument-defaults', 'pass', null, 'No argument needed a default.', null],
  [
    'argument-defaults',
    'pass',
    { filled: ['count'] },
    'These absent arguments get their defaults: "count".',
    'governance.tools',
  ],
  ['read-choices', 'pass', { chosen: [] }, 'The model chose nothing of the read.', `${READS}.llm_cannot`],
  [
    'read-choices',
    'block',
    { rule: 'select_store', field: 'stores' },
    'The model chose "stores", which it must not choose (select_store).',
    `${READS}.llm_cannot`,
  ],
  [
    'read-isolation',
    'pass',
    null,
    'The read is limited to memories of the person.',
    `${READS}.user_isolation`,
  ],
  [
    'stores-allowed',
    'pass',
    { turnId: 'p1' },
    'The stores follow from the intent of the turn "p1".',
    `${READS}.intent_mapping`,
  ],
  ['stores-allowed', 'pass', { stores: ['a'] }, 'These stores may be read: "a".', `${READS}.intent_mapping`],
  [
    'stores-allowed',
    'block',
    { intent: null, stores: [] },
    'A store was asked for that may not be read without an intent. These may be read: none.',
    `${READS}.intent_mapping`,
  ],
  [
    'saves-decided',
    'pass',
    { decidedBy: 'permanent', stores: ['ltm'] },
    'It is saved to "ltm", by the rule "permanent".',
    'governance.memory_policies.write',
  ],
  [
    'saves-decided',
    'pass',
    { decidedBy: 'none', stores: [] },
    'Nothing is saved, by no rule.',
    'governance.memory_policies.write',
  ],
  [
    'saves-decided',
    'block',
    { store: 'ltm' },
    'The save goes to the store "ltm", which this specialist may not write.',
    'governance.specialist.memory_access',
  ],
  [
    'output-content',
    'pass',
    { redactions: 1 },
    'The filters found 1 part of the answer to redact.',
    `${GUARDS}.output.blocked_content`,
  ],
  [
    'output-content',
    'block',
    { blocked: ['email', 'iban'] },
    'The answer contains blocked content: email, iban.',
    `${GUARDS}.output.blocked_content`,
  ],
  [
    'category-policies',
    'block',
    { category: '/a', length: 4, most: 3, from: '/' },
    'The content for the category "/a" has 4 characters; at most 3 are allowed.',
    'governance.categories',
  ],
  [
    'category-policies',
    'block',
    { category: '/a', length: 501, most: 500, from: null },
    'The description for the category "/a" has 501 characters; at most 500 are allowed.',
    'governance.categories',
  ],
  [
    'category-policies',
    'pass',
    { operation: 'prune' },
    'The policies of the categories permit prune.',
    'governance.categories',
  ],
  ['turn', 'pass', TURN, 'It belongs to the turn "p1" with the intent "chat".', AGENT],
  [
    'turn',
    'pass',
    { ...TURN, calls: 1, maxCalls: 3 },
    'It belongs to the turn "p1" with the intent "chat", which had 1 of 3 such calls.',
    AGENT,
  ],
  [
    'turn',
    'block',
    { ...TURN, turnId: null, fails: 'unknown' },
    'The action names no turn, and a policy limits turns.',
    AGENT,
  ],
  [
    'turn',
    'block',
    { ...TURN, fails: 'timeout' },
    'It came when the turn "p1" was over, which may last 1 min.',
    AGENT,
  ],
])('%s %s %j', (check, result, evidence, words, field) => {
  const one = { check, result, evidence };
  expect(checkInWords(one, DECISION)).toBe(words);
  expect(boundOf(one, DECISION)?.field ?? null).toBe(field);
});
