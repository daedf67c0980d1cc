import { type Action, type Json, type PrivacyDocument, privacyDocument } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sealer } from '../sealer.ts';
import { compileRedactor } from './compile-redactor.ts';

const KEY = 'a key';
const HASH = expect.stringMatching(/^hmac-sha256:[0-9a-f]{32}$/);

/**
 * Makes tokens of the real form. Each token names the tenant, the person and the text that it seals. The person
 * `gone` counts as erased.
 */
const sealer: Sealer = {
  seal: (tenant, person, text) =>
    person === 'gone' ? null : `sealed:v1:${hex16(tenant)}:${hex16(person)}:${hex16(text).repeat(3)}.`,
  pseudonym: (tenant, person) => (person === 'gone' ? null : `person:${hex16(tenant + person).repeat(2)}`),
  isSealed: () => false,
};

function hex16(text: string): string {
  let sum = 7n;
  for (const unit of text) sum = (sum * 31n + BigInt(unit.codePointAt(0) ?? 0)) % 2n ** 64n;
  return sum.toString(16).padStart(16, '0');
}

const sealedAs = (person: string, text: string) => sealer.seal('acme', person, text);

type Written = { fields?: object[]; patterns?: object[] };
const documentOf = (written: Written): PrivacyDocument => privacyDocument.parse({ version: 1, ...written });
const redactorOf = (written: Written) => compileRedactor(documentOf(written), { hashKey: KEY, sealer });

const call = (args: Record<string, Json>, more: Partial<Action> = {}): Action =>
  ({ id: 'act_1', agentId: 'bot', type: 'tool_call', tool: 'send', args, ...more }) as Action;

/** Returns the arguments after redaction. */
function redactedArgs(written: Written, args: Record<string, Json>, more?: Partial<Action>): unknown {
  const redacted = redactorOf(written)(call(args, more), 'acme');
  return redacted.type === 'tool_call' ? redacted.args : null;
}

const redact = (path: string) => ({ path, do: 'redact' });

describe('fields', () => {
  test.each([
    ['args.a.b', { a: { b: 1, c: 2 }, b: 3 }, { a: { b: '[redacted]', c: 2 }, b: 3 }],
    ['args.a', { a: { b: 1 } }, { a: '[redacted]' }],
    ['args.*', { a: 1, b: [2] }, { a: '[redacted]', b: '[redacted]' }],
    ['args.*.b', { a: { b: 1 }, b: 2, c: [{ b: 3 }] }, { a: { b: '[redacted]' }, b: 2, c: [{ b: 3 }] }],
    ['args.a.1', { a: [0, 1, 2] }, { a: [0, '[redacted]', 2] }],
    ['args.a.*.b', { a: [{ b: 1 }, { c: 2 }] }, { a: [{ b: '[redacted]' }, { c: 2 }] }],
    ['args.**.b', { b: 1, a: [{ x: { b: 2 } }] }, { b: '[redacted]', a: [{ x: { b: '[redacted]' } }] }],
    [
      'args.a.**.b',
      { b: 1, a: { b: 2, x: { b: 3 } } },
      { b: 1, a: { b: '[redacted]', x: { b: '[redacted]' } } },
    ],
    ['args.**.b.**.c', { b: { x: { b: { c: 1 } } }, c: 2 }, { b: { x: { b: { c: '[redacted]' } } }, c: 2 }],
    ['args.a.**', { a: { b: { c: 1 } }, d: 2 }, { a: { b: '[redacted]' }, d: 2 }],
    ['args.**', { a: 1 }, { a: '[redacted]' }],
    ['args.a', { a: null }, { a: '[redacted]' }],
    ['args.constructor', { a: 1 }, { a: 1 }],
    ['context.a', { a: 1 }, { a: 1 }],
  ] satisfies [string, Record<string, Json>, Record<string, Json>][])('%s', (path, args, expected) => {
    expect(redactedArgs({ fields: [redact(path)] }, args)).toEqual(expected);
  });

  test('are redacted in the context too, even if the action has no arguments', () => {
    const action: Action = {
      id: 'a',
      agentId: 'b',
      type: 'llm_call',
      model: 'm',
      inputTokens: 1,
      maxOutputTokens: 1,
      context: { mail: 'x', other: 1 },
    };
    expect(redactorOf({ fields: [redact('context.mail')] })(action, 'acme')).toEqual({
      ...action,
      context: { mail: '[redacted]', other: 1 },
    });
  });

  test('have equal hashes only for equal values', () => {
    const args = { a: { n: 1, m: 2 }, b: { m: 2, n: 1 }, c: '1', d: 1 };
    const redacted = redactedArgs({ fields: [{ path: 'args.*', do: 'hash' }] }, args) as typeof args;
    expect(redacted).toEqual({ a: HASH, b: HASH, c: HASH, d: HASH });
    expect(new Set(Object.values(redacted)).size).toBe(3);
    expect(redacted.a).toBe(redacted.b);
  });

  test('are sealed as canonical JSON if they are not strings', () => {
    const rule = { path: 'args.customer.*', do: 'seal', person: 'args.customer.id' };
    expect(
      redactedArgs({ fields: [rule] }, { customer: { id: 7, name: 'Ann', tags: [{ b: 1, a: null }] } }),
    ).toEqual({
      customer: {
        id: sealedAs('7', '7'),
        name: sealedAs('7', 'Ann'),
        tags: sealedAs('7', '[{"a":null,"b":1}]'),
      },
    });
  });

  test.each([
    ['the action names no person', {}],
    ['the value at the path of the person is no id', { customer: ['ann'] }],
    ['who it was is redacted already', { customer: '[redacted]' }],
  ])('are redacted instead of sealed if %s', (_, more) => {
    const rules = {
      fields: [{ path: 'args.name', do: 'seal', person: 'args.customer' }],
      patterns: [{ pattern: 'email', do: 'seal', person: 'args.customer' }],
    };
    const redacted = redactedArgs(rules, { name: 'Ann', text: 'to ann@example.com', ...more });
    expect(redacted).toMatchObject({ name: '[redacted]', text: 'to [redacted:email]' });
  });

  test('of an erased person are erased instead of sealed', () => {
    const rules = {
      fields: [{ path: 'args.name', do: 'seal', person: 'args.id' }],
      patterns: [{ pattern: 'email', do: 'seal', person: 'args.id' }],
    };
    expect(redactedArgs(rules, { id: 'gone', name: 'Ann', text: 'to ann@example.com' })).toEqual({
      id: 'gone',
      name: '[erased]',
      text: 'to [erased]',
    });
  });
});

describe('the id of the principal', () => {
  const principal = { id: 'ann', role: 'clerk' };
  const shown = (way: string, id = 'ann') =>
    redactorOf({ fields: [{ path: 'principal.id', do: way }] })(
      call({}, { principal: { ...principal, id } }),
      'acme',
    ).principal;

  test('is hashed or becomes a pseudonym, and its role stays', () => {
    expect(shown('hash')).toEqual({ id: HASH, role: 'clerk' });
    expect(shown('seal')).toEqual({ id: sealer.pseudonym('acme', 'ann'), role: 'clerk' });
  });

  test('is refused if the person is erased', () => {
    expect(() => shown('seal', 'gone')).toThrow(expect.objectContaining({ code: 'PERSON_ERASED' }));
  });

  test.each([
    [{ path: 'principal.id', do: 'redact' }, /budgets/],
    [{ path: 'principal.id', do: 'seal', person: 'args.customer' }, /no other person/],
    [{ path: 'principal.role', do: 'redact' }, /must be principal.id/],
    [{ path: 'args', do: 'redact' }, /must be principal.id/],
    [{ path: 'args.a', do: 'seal', person: 'args.*' }, /is not allowed/],
  ])('%j is not a valid rule', (rule, message) => {
    const read = privacyDocument.safeParse({ version: 1, fields: [rule] });
    expect(read.error?.issues.map((issue) => issue.message).join()).toMatch(message);
  });
});

describe('patterns', () => {
  const patterns = [
    { pattern: 'email', do: 'redact' },
    { pattern: 'credit_card', do: 'hash' },
  ];

  test('are replaced in place, in texts, in names and in numbers', () => {
    const args = {
      note: 'mail ann@example.com, 4111111111111111',
      list: [{ 'ann@example.com': 4111111111111111 }],
    };
    expect(redactedArgs({ patterns }, args)).toEqual({
      note: expect.stringMatching(/^mail \[redacted:email\], hmac-sha256:[0-9a-f]{32}$/),
      list: [{ '[redacted:email]': HASH }],
    });
  });

  test('find phone numbers in the form of every country that a rule names', () => {
    const phones = [
      { pattern: 'phone', do: 'hash', countries: ['US'] },
      { pattern: 'phone', do: 'redact', countries: ['DE'] },
    ];
    const args = { note: 'call 030 901820 or 415-555-2671', order: 4155552671 };
    const once = redactedArgs({ patterns: phones }, args) as typeof args;
    expect(once).toEqual({ note: 'call [redacted:phone] or [redacted:phone]', order: 4155552671 });
    expect(redactedArgs({ patterns: phones }, once)).toEqual(once);
  });

  test('give a number and the text of its digits the same hash, even below zero', () => {
    const args = { a: 4111111111111111, b: '4111111111111111', c: -4111111111111111, d: '-4111111111111111' };
    const { a, b, c, d } = redactedArgs({ patterns }, args) as Record<keyof typeof args, string>;
    expect([a, b, c, d]).toEqual([HASH, a, `-${a}`, `-${a}`]);
    expect(redactedArgs({ patterns }, { a, c })).toEqual({ a, c });
  });

  test('lose no value if two names are replaced by the same name', () => {
    const args = { 'a@x.com': 1, 'b@x.com': 2, '[redacted:email] 2': 3 };
    expect(redactedArgs({ patterns }, args)).toEqual({
      '[redacted:email]': 1,
      '[redacted:email] 3': 2,
      '[redacted:email] 2': 3,
    });
  });

  test('are sealed for the person', () => {
    const rules = { patterns: [{ pattern: 'email', do: 'seal' }] };
    const more = { principal: { id: 'ann' } };
    expect(redactedArgs(rules, { to: 'Ann <ann@example.com>' }, more)).toEqual({
      to: `Ann <${sealedAs('ann', 'ann@example.com')}>`,
    });
  });

  test('leave alone the fields that Mandate itself reads', () => {
    const action = call(
      {},
      { id: 'ann@example.com', agentId: 'bob@example.com', idempotencyKey: 'c@example.com' },
    );
    expect(redactorOf({ patterns })(action, 'acme')).toBe(action);
  });
});

describe('several rules for one value', () => {
  const WAYS = ['redact', 'hash', 'seal'] as const;
  const SHOWN = {
    redact: '[redacted]',
    hash: HASH,
    seal: sealedAs('ann', 'ann@example.com'),
  };
  const more = { principal: { id: 'ann' } };
  const pairs = WAYS.flatMap((one) => WAYS.map((other) => [one, other] as const));

  test.each(pairs)('%s and %s: prefer redact to hash, and hash to seal', (one, other) => {
    const stronger = WAYS[Math.min(WAYS.indexOf(one), WAYS.indexOf(other))] ?? 'redact';
    const fields = [
      { path: 'args.to', do: one },
      { path: 'args.**.to', do: other },
    ];
    expect(redactedArgs({ fields }, { to: 'ann@example.com' }, more)).toEqual({ to: SHOWN[stronger] });
    const onPatterns = [
      { pattern: 'email', do: one },
      { pattern: 'email', do: other },
    ];
    expect(redactedArgs({ patterns: onPatterns }, { to: 'ann@example.com' }, more)).toEqual({
      to: stronger === 'redact' ? '[redacted:email]' : SHOWN[stronger],
    });
  });

  test.each(pairs)('prefer a field to %s over a pattern to %s', (one, other) => {
    const rules = { fields: [{ path: 'args.to', do: one }], patterns: [{ pattern: 'email', do: other }] };
    expect(redactedArgs(rules, { to: 'ann@example.com' }, more)).toEqual({ to: SHOWN[one] });
  });
});

test('throws if a hash key is missing, and redacts values to seal if there is no sealer', () => {
  const hashing = documentOf({ patterns: [{ pattern: 'email', do: 'hash' }] });
  expect(() => compileRedactor(hashing, { sealer: null })).toThrow(TypeError);
  const sealing = documentOf({
    fields: [
      { path: 'args.name', do: 'seal' },
      { path: 'principal.id', do: 'seal' },
    ],
    patterns: [{ pattern: 'email', do: 'seal' }],
  });
  const token = sealedAs('ann', 'Ann');
  const action = call({ name: 'Ann', to: 'ann@example.com', list: [token] }, { principal: { id: 'ann' } });
  expect(compileRedactor(sealing, { sealer: null })(action, 'acme')).toMatchObject({
    args: { name: '[redacted]', to: '[redacted:email]', list: [token] },
    principal: { id: '[redacted]' },
  });
});

describe('laws', () => {
  const ways = fc.constantFrom('redact', 'hash', 'seal');
  const names = fc.constantFrom('a', 'b', 'id', 'c', 'ann@example.com', '__proto__');
  const steps = fc.oneof(fc.constantFrom('a', 'b', 'c', '0'), fc.constantFrom('*', '**'));
  const fields = fc
    .tuple(fc.constantFrom('args', 'context'), fc.array(steps, { minLength: 1, maxLength: 4 }), ways)
    .map(([root, path, way]) => ({ path: [root, ...path].join('.'), do: way }));
  const people = fc.constantFrom({}, { person: 'args.id' });
  const rules = fc
    .record({
      fields: fc.array(fields, { maxLength: 3 }),
      patterns: fc.array(
        fc.tuple(
          fc.constantFrom('email', 'phone', 'credit_card', 'iban', 'ip_address', 'us_ssn', 'secret'),
          ways,
          people,
        ),
        { maxLength: 5 },
      ),
    })
    .map(({ fields, patterns }) => ({
      fields,
      patterns: patterns.map(([pattern, way, who]) => ({
        ...{ pattern, do: way, ...(way === 'seal' && who) },
        ...(pattern === 'phone' && { countries: ['DE', 'US'] }),
      })),
    }));
  const SECRETS = ['ann@example.com', '4111111111111111', '+4930901820', '078-05-1120', '192.168.7.9'];
  const texts = fc
    .array(
      fc.constantFrom(
        ...SECRETS,
        ...['4111-1111 1111.1111', '４１１１', '030 901820', '415-555-2671', '21.11.2026'],
        ...['DE89370400440532013000', 'AIzaAb1_-Ab1_-Ab1_-Ab1_-Ab1_-Ab1_-Ab1_-', '2001:db8::1'],
        ...['[redacted]', '[redacted:email]', '[erased]', 'hmac-sha256:0123456789abcdef0123456789abcdef'],
        ...[' ', '.', ',', '-', ':', '+', '@', '_', '4', 'a', 'ü', '"', '\n', '://', '0 '],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));
  const json = fc.letrec<{ value: Json; array: Json[]; object: { [name: string]: Json } }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.constantFrom<Json>(1, 4111111111111111, -4111111111111111, null, true),
      tie('array'),
      tie('object'),
    ),
    array: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  })).object;
  const actions = fc
    .record({ args: json, context: json, principal: fc.constantFrom({ id: 'ann' }, { id: 'gone' }) })
    .map(({ args, ...more }) => call(args, more));

  test('redaction is idempotent and leaves its input unchanged', () => {
    fc.assert(
      fc.property(rules, actions, (written, action) => {
        const before = JSON.stringify(action);
        const redactAction = redactorOf(written);
        const once = redactAction(action, 'acme');
        expect(JSON.stringify(action)).toBe(before);
        expect(redactAction(once, 'acme')).toBe(once);
      }),
      { numRuns: runs(500) },
    );
  });

  test('redaction returns the input itself if no rule matches', () => {
    fc.assert(
      fc.property(actions, (action) => {
        const fields = [redact('args.no.such'), redact('args.**.none'), redact('context.none.*')];
        expect(redactorOf({ fields })(action, 'acme')).toBe(action);
        expect(redactorOf({})(action, 'acme')).toBe(action);
      }),
    );
  });

  test('redaction leaves no part of a match', () => {
    const patterns = ['email', 'credit_card', 'phone', 'us_ssn', 'ip_address'];
    const around = fc.constantFrom('', ' ', ', ', '"', '\n', '(', '; ');
    fc.assert(
      fc.property(actions, around, around, ways, (action, before, after, way) => {
        const written = { patterns: patterns.map((pattern) => ({ pattern, do: way })) };
        const said = SECRETS.map((secret) => `${before}${secret}${after} `);
        const shown = redactorOf(written)(
          { ...action, context: { said, within: { [said.join(';')]: said } } },
          'acme',
        );
        const text = JSON.stringify(shown.context);
        for (const secret of SECRETS) expect(text).not.toContain(secret);
      }),
    );
  });

  test('redaction leaves no part of a value in a named field', () => {
    fc.assert(
      fc.property(actions, ways, json, (action, way, value) => {
        const redacted = { hunter: value, deep: ['hunter2-hunter2'] };
        const written = { fields: [{ path: 'context.**.secretly', do: way }] };
        const context = { a: [{ secretly: redacted }], secretly: redacted };
        const shown = JSON.stringify(redactorOf(written)({ ...action, context }, 'acme'));
        expect(shown).not.toContain('hunter');
      }),
    );
  });
});

test('redaction takes linear time if many names are replaced by the same name', () => {
  const redactAction = redactorOf({ patterns: [{ pattern: 'email', do: 'redact' }] });
  const msFor = (count: number) => {
    const members = Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}@example.com`, at]));
    const begun = process.threadCpuUsage();
    const shown = redactAction(call(members), 'acme');
    const { user, system } = process.threadCpuUsage(begun);
    expect(shown).toMatchObject({ args: { [`[redacted:email] ${count}`]: count - 1 } });
    return (user + system) / 1_000;
  };
  // Four times as many names should take four times as long. Quadratic time would be sixteen times as long. The limit
  // is between them.
  const isLinear = [1, 2, 3].some(() => msFor(4_000) / Math.max(4, msFor(1_000)) < 11);
  expect(isLinear).toBe(true);
});
