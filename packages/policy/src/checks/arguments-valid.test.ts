import type { Json } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { plan } from '../decide.ts';
import { loadMandates } from '../mandate/load-mandates.ts';

const loaded = loadMandates(`
version: 1
id: m
agents: ["*"]
toolPolicies:
  t: { argumentValidation: { validators: [noSystemPaths] } }
  u:
    argumentValidation:
      schema:
        type: object
        properties:
          token: { type: string, pattern: '^tok_' }
          card: { type: object, maxProperties: 1 }
          to: { const: a }
          n: { type: string, maxLength: 3 }
        maxProperties: 3
`);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const [mandate = null] = loaded.mandates;

/** Returns the evidence and the reason that are recorded for invalid arguments. */
function said(args: Record<string, Json>, shownArgs = args) {
  const action = { id: 'a', agentId: 'x', type: 'tool_call' as const, tool: 't' };
  const { checks, refusal } = plan({ ...action, args }, mandate, 0, { ...action, args: shownArgs });
  const { evidence } = checks.find(({ check }) => check === 'arguments-valid') ?? {};
  return { evidence, reason: refusal?.reason };
}

test('names the place of the fault, the broken rule and the kind of value found', () => {
  const expected = 'no path into a system folder';
  expect(said({ files: [{ 'a/b~c': '/etc/passwd' }] })).toEqual({
    evidence: { rule: 'noSystemPaths', pointer: '/files/0/a~1b~0c', expected },
    reason: `The arguments of "t" break the rule "noSystemPaths" at /files/0/a~1b~0c: expected ${expected}, found a string.`,
  });
});

test.each([
  ['an escape sequence', '\u001b[2J', '/\\u001b[2J'],
  ['a line break', 'a\nb', '/a\\nb'],
  ['a change of the writing direction', '\u202e', '/\\u{202e}'],
  ['a very long text', 'x'.repeat(100), `/${'x'.repeat(59)}…`],
])(
  'a field name with %s is escaped in the evidence and in the reason, so it cannot control a terminal',
  (_, name, legible) => {
    const { evidence, reason } = said({ [name]: '/etc/passwd' });
    expect(evidence).toMatchObject({ pointer: legible });
    expect(reason).toContain(` at ${legible}: `);
  },
);

describe('a fault inside a redacted field', () => {
  test.each<[string, Record<string, Json>, Record<string, Json>, string]>([
    ['a name', { a: { pin: { 'secret name': '/etc/passwd' } } }, { a: { pin: '[redacted]' } }, '/a/pin'],
    ['an index of a list', { pin: [1, '/etc/passwd'] }, { pin: '[redacted]' }, '/pin'],
    [
      'a name escaped in pointers',
      { 'p/~1n': { deep: '/etc/passwd' } },
      { 'p/~1n': '[redacted]' },
      '/p~1~01n',
    ],
    [
      'a name that is redacted itself',
      { a: { 'ann@example.com': ['/etc/passwd'] } },
      { a: { '[redacted:email]': ['/etc/passwd'] } },
      '/a',
    ],
  ])('reveals neither the kind of value nor %s', (_, args, shown, pointer) => {
    const { evidence, reason } = said(args, shown);
    expect(evidence).toMatchObject({ pointer });
    expect(reason).toMatch(/, found what is redacted\.$/);
    expect(reason).toContain(` at ${pointer}: `);
  });

  test('reveals the kind of value if the redacted field itself has the fault, but never its value', () => {
    const { evidence, reason } = said({ a: { pin: '/etc/passwd' } }, { a: { pin: '[redacted]' } });
    expect(evidence).toMatchObject({ pointer: '/a/pin' });
    expect(reason).toMatch(/found a string\.$/);
  });
});

describe('a fault in a value that was redacted before Mandate decided', () => {
  function refused(args: Record<string, Json>): string {
    const { refusal } = plan({ id: 'a', agentId: 'x', type: 'tool_call', tool: 'u', args }, mandate, 0);
    return refusal?.reason ?? '';
  }

  test.each<[string, Record<string, Json>, string]>([
    ['a redacted field', { token: '[redacted]' }, '/token'],
    ['a hashed field', { token: `hmac-sha256:${'0a'.repeat(16)}` }, '/token'],
    ['a sealed field', { to: `sealed:v1:${'0'.repeat(16)}:${'1'.repeat(16)}:${'a'.repeat(40)}.` }, '/to'],
    ['an erased field', { to: '[erased]' }, '/to'],
    ['a redacted part of a text', { n: 'mail [redacted:email], now' }, '/n'],
    [
      'members of the faulty value',
      { card: { pin: '[redacted]', 'a/b': ['[redacted]'] } },
      '/card/pin, /card/a~1b/0',
    ],
    [
      'the first three of many redacted fields',
      { 1: '[redacted]', 2: '[erased]', 3: '[redacted]', 4: '[redacted]' },
      '/1, /2, /3 and more',
    ],
  ])('the reason names %s', (_, args, named) => {
    expect(refused(args)).toMatch(/ break the rule "schema" at /);
    expect(refused(args)).toContain(` Redaction replaced ${named} before the decision,`);
  });

  test('the reason does not mention redaction if the faulty value was sent unchanged', () => {
    const reason = refused({ to: 'b', password: '[redacted]' });
    expect(reason).toContain(' at /to: ');
    expect(reason).not.toContain('Redaction');
  });
});
