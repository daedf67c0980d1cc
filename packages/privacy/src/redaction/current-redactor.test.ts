import { fingerprintOf } from '@mandate/policy';
import { type Action, type PrivacyDocument, privacyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { currentRedactor, currentTextRedactor, sealOnlyRedactor } from './current-redactor.ts';

const documentOf = (written: object): PrivacyDocument => privacyDocument.parse({ version: 1, ...written });
const action: Action = {
  id: 'a',
  agentId: 'b',
  type: 'tool_call',
  tool: 't',
  args: { pin: 1, to: 'x', cc: 'y' },
};
const redactPin = (given: Action): Action =>
  given.type === 'tool_call' ? { ...given, args: { ...given.args, pin: '[redacted]' } } : given;

test('applies an edit of the document to the next action, and always redacts names of secrets', () => {
  let document = documentOf({});
  const redactAction = currentRedactor(
    { privacy: () => document },
    { redact: redactPin, hashKey: 'k', sealer: null },
  );
  expect(redactAction(action, 'acme')).toMatchObject({ args: { pin: '[redacted]', to: 'x', cc: 'y' } });
  document = documentOf({ fields: [{ path: 'args.to', do: 'redact' }] });
  expect(redactAction(action, 'acme')).toMatchObject({
    args: { pin: '[redacted]', to: '[redacted]', cc: 'y' },
  });
  document = documentOf({ fields: [{ path: 'args.pin', do: 'hash' }] });
  expect(redactAction(action, 'acme')).toMatchObject({ args: { pin: '[redacted]', to: 'x', cc: 'y' } });
});

test("redacts every match in an operator's text, even if the pattern hashes or seals elsewhere, as soon as the document says so", () => {
  let document = documentOf({ fields: [{ path: 'args.to', do: 'redact' }] });
  const redactText = currentTextRedactor({ privacy: () => document });
  const text = 'ann@example.com complained, 030 901820, 4111111111111111';
  expect(redactText(text)).toBe(text);
  document = documentOf({
    patterns: [
      { pattern: 'email', do: 'seal' },
      { pattern: 'phone', do: 'hash', countries: ['DE'] },
      { pattern: 'email', do: 'hash' },
    ],
  });
  expect(redactText(text)).toBe('[redacted:email] complained, [redacted:phone], 4111111111111111');
  expect(redactText(redactText(text))).toBe(redactText(text));
});

test('makes different fingerprints, which reveal nothing about the text of an erased person', () => {
  const written = documentOf({
    fields: [
      { path: 'args.to', do: 'seal', person: 'args.cc' },
      { path: 'args.pin', do: 'redact' },
    ],
  });
  const file = { privacy: () => written };
  let isForgotten = false;
  const sealer = {
    seal: (_tenant: string, person: string, text: string) =>
      isForgotten ? null : `sealed for ${person}: ${text.length}`,
    pseudonym: () => null,
    isSealed: () => false,
  };
  const seal = sealOnlyRedactor(file, sealer);
  const sealed = seal(action, 'acme');
  expect(sealed).toMatchObject({ args: { pin: 1, to: 'sealed for y: 1', cc: 'y' } });
  const redacted = currentRedactor(file, { redact: (given) => given, sealer })(action, 'acme');
  const withoutPin: Action = { ...action, args: { to: 'x', cc: 'y' } };
  expect(fingerprintOf(sealed, redacted, 'k')).not.toBeNull();
  expect(fingerprintOf(seal(withoutPin, 'acme'), seal(withoutPin, 'acme'), 'k')).toBeNull();
  isForgotten = true;
  const prints = [action, action].map((given) => fingerprintOf(seal(given, 'acme'), redacted, 'k'));
  expect(prints).not.toContain(null);
  expect(new Set(prints).size).toBe(2);
});

test('makes different fingerprints for values to seal if they belong to no person', () => {
  const written = documentOf({
    fields: [{ path: 'args.to', do: 'seal', person: 'args.cc' }],
    patterns: [{ pattern: 'email', do: 'seal', person: 'args.cc' }],
  });
  const file = { privacy: () => written };
  const sealer = { seal: () => 'sealed', pseudonym: () => 'person', isSealed: () => false };
  const redactAction = currentRedactor(file, { redact: (given) => given, sealer });
  const seal = sealOnlyRedactor(file, sealer);
  const prints = [
    { to: 'x', note: 'a@example.com' },
    { to: 'y', note: 'a@example.com' },
    { to: 'x', note: 'b@example.com' },
  ].map((args) => {
    const given: Action = { ...action, args };
    const redacted = redactAction(given, 'acme');
    expect(redacted).toMatchObject({ args: { to: '[redacted]', note: '[redacted:email]' } });
    return fingerprintOf(seal(given, 'acme'), redacted, 'k');
  });
  expect(prints).not.toContain(null);
  expect(new Set(prints).size).toBe(prints.length);
});

test('redacts texts of prompts, answers and memories as a whole, by side, and by pattern', () => {
  const redacting = (fields: object[], patterns: object[] = []) =>
    currentRedactor(
      { privacy: () => documentOf({ fields, patterns }) },
      { redact: (given) => given, hashKey: 'k', sealer: null },
    );
  const prompt: Action = { id: 'a', agentId: 'b', type: 'prompt', text: 'I am ann@example.com' };
  const write: Action = {
    ...{ id: 'a', agentId: 'b', type: 'memory_write', event: 'message_sent' },
    text: { user: 'ann@example.com', agent: 'hello' },
  };
  const email = [{ pattern: 'email', do: 'redact' }];
  expect(redacting([], email)(prompt, 't')).toMatchObject({ text: 'I am [redacted:email]' });
  expect(redacting([{ path: 'text', do: 'redact' }])(prompt, 't')).toMatchObject({ text: '[redacted]' });
  const whole = { text: { user: '[redacted]', agent: '[redacted]' } };
  expect(redacting([{ path: 'text', do: 'redact' }])(write, 't')).toMatchObject(whole);
  const side = { text: { user: '[redacted]', agent: 'hello' } };
  expect(redacting([{ path: 'text.user', do: 'redact' }])(write, 't')).toMatchObject(side);
  const change: Action = {
    ...{ id: 'a', agentId: 'b', type: 'memory_operation', operation: 'createMemory', store: 's' },
    ...{ category: '/a', content: 'secret' },
  };
  expect(redacting([{ path: 'content', do: 'redact' }])(change, 't')).toMatchObject({
    content: '[redacted]',
  });
});

test('hides the person of a read like its principal, so that the two stay equal', () => {
  const document = documentOf({ fields: [{ path: 'principal.id', do: 'hash' }] });
  const redacting = currentRedactor(
    { privacy: () => document },
    { redact: (given) => given, hashKey: 'k', sealer: null },
  );
  const read = (user_id: string): Action => ({
    ...{ id: 'a', agentId: 'b', type: 'memory_read', principal: { id: 'u1' } },
    filter: { user_id },
  });
  const own = redacting(read('u1'), 't');
  expect(own.type === 'memory_read' && own.filter?.user_id).toBe(own.principal?.id);
  expect(own.principal?.id).toMatch(/^hmac-sha256:/);
  const others = redacting(read('u2'), 't');
  expect(others.type === 'memory_read' && others.filter?.user_id).not.toBe(others.principal?.id);
});
