import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ACTION_TYPES } from './action-kinds.ts';
import { type Fault, fault } from './dead-letter.ts';
import { CAPS } from './defaults.ts';
import { type ReadSome, readActionsRecord, readActionsText, readSome, readStrictly } from './read-record.ts';
import { count, id } from './scalars.ts';

const KINDS = ACTION_TYPES.map((type) => `"${type}"`).join(', ');
const toolCall = { id: 'act_1', agentId: 'airline-007', type: 'tool_call', tool: 'get_user' };
const llmCall = {
  id: 'act_2',
  agentId: 'a',
  type: 'llm_call',
  model: 'm',
  inputTokens: 1,
  maxOutputTokens: 0,
};
const outcome = { actionId: 'act_1', agentId: 'airline-007', status: 'success' };

function bytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
}

function refused(value: unknown): Fault {
  const read = readActionsRecord(value instanceof Uint8Array || value === null ? value : bytes(value));
  if (read.ok) throw new Error(`was read: ${JSON.stringify(read.value)}`);
  expect(fault.safeParse(read.fault).success).toBe(true);
  return read.fault;
}

const requested = (action: object) => ({ event: 'action.requested', action });
const completed = (fields: object) => ({ event: 'action.completed', outcome: fields });

describe('reads', () => {
  it.each([
    ['a tool call with what is required', requested(toolCall)],
    ['a model call with what is required', requested(llmCall)],
    ['an outcome with what is required', completed(outcome)],
    [
      'everything a tool call may say',
      requested({
        ...toolCall,
        tenant: 'default',
        args: { user_id: 'x', amount: 50, nested: [{ deep: null }], toString: 'an own key' },
        estimatedCostMicros: CAPS.amountMicros,
        idempotencyKey: 'k',
        mandateId: 'mnd_1',
        parentActionId: 'act_0',
        principal: { id: 'u1', role: 'user' },
        context: { environment: 'prod' },
        attempt: CAPS.attempts,
        requestedAt: '2026-01-01T02:00:00.123456+02:00',
        deadlineMs: 5000,
      }),
    ],
    [
      'everything an outcome may say',
      completed({
        ...outcome,
        attempt: 2,
        tenant: 't',
        actualCostMicros: 0,
        verification: { ok: false },
        completedAt: '2026-01-01T00:00:00Z',
      }),
    ],
    ['an id of every script', requested({ ...toolCall, id: 'жé😀/..?#' })],
  ])('%s', (_name, record) => {
    expect(readActionsRecord(bytes(record))).toEqual({ ok: true, value: record });
  });

  it('a record of exactly 256 KiB, including blanks', () => {
    const text = JSON.stringify(requested(toolCall));
    const full = bytes(text.padEnd(CAPS.recordBytes, ' '));
    expect(readActionsRecord(full).ok).toBe(true);
    expect(refused(bytes(text.padEnd(CAPS.recordBytes + 1, ' '))).reason).toBe(
      'the record has 262145 bytes; 262144 are allowed',
    );
  });
});

describe('refuses these records before it reads their JSON', () => {
  it.each([
    ['a null value', null, 'the record is empty'],
    ['no bytes', new Uint8Array(), 'the record is empty'],
    [
      'what is not UTF-8',
      Uint8Array.of(0x22, 0xff, 0x22),
      'the record is not UTF-8 at byte 1 (0xFF): the text is probably Latin-1 or Windows-1252, where it is "ÿ"; save it as UTF-8',
    ],
    [
      'a surrogate in UTF-8',
      Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
      'the record is not UTF-8 at byte 1 (0xED): half of a character is encoded alone, as in CESU-8',
    ],
    [
      'UTF-16',
      new Uint8Array(Buffer.from('\ufeff{}', 'utf16le')),
      'the record is not UTF-8 at byte 0 (0xFF): this is UTF-16; save it as UTF-8',
    ],
    ['a byte order mark', bytes('\ufeff{}'), 'the text begins with a byte order mark'],
  ])('%s', (_name, value, reason) => {
    const column = reason.includes('at byte 1 ') ? 2 : 1;
    expect(refused(value)).toMatchObject({ code: 'INVALID_ACTION', reason, pointer: '', line: 1, column });
  });
});

it('reports the place where the JSON is broken, and what to do', () => {
  expect(refused('{"event": "action.requested",\n  "event": 1}')).toEqual({
    code: 'INVALID_ACTION',
    reason: 'the key "event" is used twice',
    remedy: 'keep one of the two',
    pointer: '',
    line: 2,
    column: 3,
  });
});

describe('refuses a record of the wrong shape', () => {
  const words = '/event must be one of "action.requested", "action.completed"';
  it.each([
    ['null', 'null', '', 'the record must be an object, not null'],
    ['a list', [], '', 'the record must be an object, not a list'],
    ['a text', '"x"', '', 'the record must be an object, not a string'],
    ['no event', {}, '/event', '/event is missing: it must be one of "action.requested", "action.completed"'],
    ['an unknown event', { event: 'action.denied' }, '/event', `${words}, not "action.denied"`],
    ['an event of another topic', { event: 'action.decided' }, '/event', `${words}, not "action.decided"`],
    ['an event that is no word', { event: 7 }, '/event', `${words}, not 7`],
    ['no action', { event: 'action.requested' }, '/action', '/action is missing: it must be an object'],
    [
      'no type',
      requested({ id: 'a' }),
      '/action/type',
      `/action/type is missing: it must be one of ${KINDS}`,
    ],
    [
      'an unknown type',
      requested({ ...toolCall, type: 'dream' }),
      '/action/type',
      `/action/type must be one of ${KINDS}, not "dream"`,
    ],
    [
      'no tool',
      requested({ ...toolCall, tool: undefined }),
      '/action/tool',
      '/action/tool is missing: it must be a string',
    ],
    [
      'attempt 0',
      requested({ ...toolCall, attempt: 0 }),
      '/action/attempt',
      '/action/attempt must be at least 1',
    ],
    [
      'attempt 1001',
      requested({ ...toolCall, attempt: 1_001 }),
      '/action/attempt',
      '/action/attempt must be at most 1000',
    ],
    [
      'half an attempt',
      requested({ ...toolCall, attempt: 1.5 }),
      '/action/attempt',
      '/action/attempt must be a whole number, not 1.5',
    ],
    [
      'a deadline that has no length',
      requested({ ...toolCall, deadlineMs: 0 }),
      '/action/deadlineMs',
      '/action/deadlineMs must be at least 1',
    ],
    [
      'a negative amount',
      requested({ ...toolCall, estimatedCostMicros: -1 }),
      '/action/estimatedCostMicros',
      '/action/estimatedCostMicros must be at least 0',
    ],
    [
      'an amount in dollars',
      requested({ ...toolCall, estimatedCostMicros: 0.1 }),
      '/action/estimatedCostMicros',
      '/action/estimatedCostMicros must be a whole number, not 0.1',
    ],
    [
      'an amount as text, which is not repeated',
      requested({ ...toolCall, estimatedCostMicros: '100000' }),
      '/action/estimatedCostMicros',
      '/action/estimatedCostMicros must be a number, not a string',
    ],
    [
      'negative tokens',
      requested({ ...llmCall, inputTokens: -1 }),
      '/action/inputTokens',
      '/action/inputTokens must be at least 1',
    ],
    [
      'no tokens',
      requested({ ...llmCall, inputTokens: 0 }),
      '/action/inputTokens',
      '/action/inputTokens must be at least 1',
    ],
    ['an empty id', requested({ ...toolCall, id: '' }), '/action/id', '/action/id must not be empty'],
    [
      'an id with a blank',
      requested({ ...toolCall, id: 'a b' }),
      '/action/id',
      '/action/id must not hold U+0020 (character 2): a name holds no blank',
    ],
    [
      'an id that is too long',
      requested({ ...toolCall, id: 'x'.repeat(201) }),
      '/action/id',
      '/action/id must have at most 200 characters',
    ],
    [
      'a tenant with a slash',
      requested({ ...toolCall, tenant: 'a/b' }),
      '/action/tenant',
      '/action/tenant must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit',
    ],
    [
      'a day that does not exist',
      requested({ ...toolCall, requestedAt: '2026-02-30T00:00:00Z' }),
      '/action/requestedAt',
      '/action/requestedAt has no day 30: the last day of 2026-02 is 28',
    ],
    [
      'arguments as a list',
      requested({ ...toolCall, args: [1] }),
      '/action/args',
      '/action/args must be an object, not a list',
    ],
    [
      'a verification without a result',
      completed({ ...outcome, verification: {} }),
      '/outcome/verification/ok',
      '/outcome/verification/ok is missing: it must be true or false',
    ],
    [
      'an unknown status',
      completed({ ...outcome, status: 'done' }),
      '/outcome/status',
      '/outcome/status must be one of "success", "failure", "cancelled", not "done"',
    ],
  ])('%s', (_name, record, pointer, reason) => {
    const { remedy, ...rest } = refused(record);
    expect(rest).toMatchObject({ code: 'INVALID_ACTION', pointer, reason });
    expect(remedy).toBe('give the field a value that fits, then publish the record again');
  });

  it('points at a wrong value, or at the object in which a field is missing', () => {
    const wrong =
      '{"event": "action.requested",\n "action": {"id": "a", "agentId": "b",\n  "type": "tool_call", "tool": 5}}';
    expect(refused(wrong)).toMatchObject({ pointer: '/action/tool', line: 3, column: 32 });
    const missing = wrong.replace(', "tool": 5', '');
    expect(refused(missing)).toMatchObject({ pointer: '/action/tool', line: 2, column: 12 });
  });

  it('reports an unknown field before the missing field that it probably means, with its place and the known fields', () => {
    const text =
      '{"event": "action.requested",\n "action": {"id": "a",\n  "agentID": "b", "type": "tool_call", "tool": "t"}}';
    const found = refused(text);
    expect(found).toMatchObject({ pointer: '/action/agentID', line: 3, column: 3 });
    expect(found.reason).toMatch(
      /^\/action\/agentID is not a known field: write "agentId"; known here: id, tenant, agentId, .*; \/action\/agentId is missing/,
    );
    expect(found.remedy).toBe('remove the field or correct its name, then publish the record again');
  });

  it.each([
    [{ ...requested(toolCall), trace: 1 }, '/trace'],
    [requested({ ...toolCall, 'a/b~c': 1 }), '/action/a~1b~0c'],
    [requested({ ...toolCall, principal: { id: 'u', name: 'U' } }), '/action/principal/name'],
    [requested({ ...toolCall, model: 'm' }), '/action/model'],
    [completed({ ...outcome, verification: { ok: true, by: 'x' } }), '/outcome/verification/by'],
  ])('refuses unknown fields everywhere: %j', (record, pointer) => {
    expect(refused(record).pointer).toBe(pointer);
  });

  it('reports a short fault on one line, whatever the record contains', () => {
    const { reason } = refused(requested({ ...toolCall, [`\u001b[2J\u009b\n${'x'.repeat(60_000)}`]: 1 }));
    expect(reason).not.toMatch(/\p{Cc}/u);
    expect(reason.length).toBeLessThan(500);
  });

  it('finds the place of a fault in little memory, even if the record has many values', () => {
    const record = `{"event":"action.requested","${'k'.repeat(CAPS.stringUnits)}":[${'0,'.repeat(CAPS.elements - 1)}0]}`;
    expect(record.length).toBeLessThan(CAPS.recordBytes);
    const before = process.memoryUsage().rss;
    expect(refused(record).pointer).toHaveLength(CAPS.stringUnits + 1);
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
  });
});

describe('any bytes', () => {
  const someRecord = JSON.stringify(requested({ ...toolCall, args: { a: [1, 'é', { b: null }] } }));
  const mutilated = fc
    .tuple(fc.nat(someRecord.length), fc.nat(8), fc.string({ unit: 'binary', maxLength: 8 }))
    .map(([at, cut, put]) =>
      bytes(someRecord.slice(0, at) + put.toWellFormed() + someRecord.slice(at + cut)),
    );

  it('return a record or a fault with a place, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json().map(bytes), mutilated), (value) => {
        const read = readActionsRecord(value);
        if (!read.ok) expect(fault.parse(read.fault)).toMatchObject({ line: expect.any(Number) });
      }),
      { numRuns: runs(3_000) },
    );
  });
});

it('reads records of other schemas by the same rules', () => {
  expect(readStrictly(bytes('"a"'), id, 3)).toEqual({ ok: true, value: 'a' });
  expect(readStrictly(bytes('"ab"'), id, 3)).toMatchObject({
    ok: false,
    fault: { reason: expect.stringContaining('3 are allowed') },
  });
});

/** Reads the whole body at once. No other work runs in between. */
function readWhole<T>(
  value: Uint8Array,
  schemaOf: () => z.ZodType<T>,
  bounds = { records: 10, faults: 2 },
): ReadSome<T> {
  const reading = readSome(value, schemaOf, bounds);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

describe('a body with one record or a list of records', () => {
  const some = (text: string) => readWhole(bytes(text), () => z.object({ a: count }));
  const refusalOf = (text: string) => {
    const read = some(text);
    return 'read' in read && !read.read.ok ? read.read.fault : read;
  };

  it('reports whether the body was a record or a list, and reads each record as if it were alone', () => {
    expect(some(' {"a": 1}')).toEqual({ many: false, read: { ok: true, value: { a: 1 } } });
    expect(some('\n[{"a": 1} , {"a": 2}]')).toEqual({
      many: true,
      read: { ok: true, value: [{ a: 1 }, { a: 2 }] },
    });
    expect(some('[]')).toEqual({ many: true, read: { ok: true, value: [] } });
  });

  it('reports which records of the list are wrong, and their places in the whole text', () => {
    expect(some('[{"a": 1},\n  {"a": -1}, {"a": 3},\n{"b": 1}]')).toMatchObject({
      many: true,
      wrong: 2,
      records: 4,
      faults: [
        { index: 1, pointer: '/a', line: 2, column: 9 },
        { index: 3, pointer: '/a', line: 3, column: 1 },
      ],
    });
  });

  it('counts all wrong records, and reports the first ones', () => {
    const read = some(`[${Array(9).fill('{"a": -1}')}]`);
    expect(read).toMatchObject({ many: true, wrong: 9, records: 9, faults: [{ index: 0 }, { index: 1 }] });
    expect('faults' in read && read.faults).toHaveLength(2);
  });

  it('reads no more records of a list than are allowed', () => {
    const full = `[${Array(10).fill('{"a": 1}')}`;
    expect(some(`${full}]`)).toMatchObject({ many: true, read: { ok: true } });
    for (const rest of ['{"a": 1}]', '"', '{'.repeat(1_000_000)])
      expect(refusalOf(`${full},\n ${rest}`)).toMatchObject({
        reason: 'more than 10 records in one list',
        remedy: 'send several lists',
        line: 2,
        column: 2,
      });
  });

  it('yields after each record of a list, so that other work may run in between', () => {
    const reading = readSome(bytes('[1, 2, 3]'), () => count, { records: 10, faults: 2 });
    expect([...reading]).toHaveLength(3);
  });

  it('gives every record of a list its own limits on keys, elements, depth and length', () => {
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: CAPS.keys }, (_, n) => [`a${n}`, n])),
    );
    const deep = `${'['.repeat(CAPS.depth)}${']'.repeat(CAPS.depth)}`;
    const long = `[${'0,'.repeat(CAPS.elements - 1)}0]`;
    const large = `[${Array(4).fill(JSON.stringify('x'.repeat(CAPS.stringUnits - 4)))}]`;
    const read = (text: string) => readWhole(bytes(text), () => z.json());
    for (const text of [wide, deep, long, large])
      expect(read(`[${text}, ${text}]`)).toMatchObject({ read: { ok: true } });
    for (const text of [wide.replace('{', '{"more":0,'), `[${deep}]`, `[${long}]`])
      expect(read(`[1, ${text}]`)).toMatchObject({ read: { ok: false } });
    expect(read(`[1, ${large.replace('[', '[12345678901,')}]`)).toMatchObject({
      wrong: 1,
      faults: [{ index: 1, reason: expect.stringContaining('262144 bytes are allowed'), column: 5 }],
    });
  });

  it('refuses the whole body if it is empty, not UTF-8 or not JSON', () => {
    expect(some('[{"a": 1}, {"a" 2}]')).toMatchObject({
      many: true,
      read: { ok: false, fault: { column: 17 } },
    });
    for (const text of ['[{"a": 1}] 1', '[{"a": 1},]', ''])
      expect(some(text)).toMatchObject({ read: { ok: false } });
    expect(readWhole(Uint8Array.of(0x5b, 0xff, 0x5d), () => z.json())).toMatchObject({ read: { ok: false } });
  });

  it('reads a single record as readStrictly does, with the same limit', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.trimStart().startsWith('['));
        expect(readWhole(bytes(text), () => z.json())).toEqual({
          many: false,
          read: readStrictly(bytes(text), z.json()),
        });
      }),
    );
    expect(refusalOf('{"a": 1}'.padEnd(CAPS.recordBytes + 1))).toMatchObject({
      reason: 'the record has 262145 bytes; 262144 are allowed',
    });
  });
});

it.each([
  ['a record', JSON.stringify(asking({}))],
  ['an unknown field', JSON.stringify(asking({ more: 1 }))],
  ['two equal keys', '{"event":"action.requested","event":"action.requested"}'],
  ['no text', ''],
  ['a record of exactly the most bytes', padded(CAPS.recordBytes)],
  ['a record of one byte more', padded(CAPS.recordBytes + 1)],
])('reads the text of a record as its bytes: %s', (_what, text) => {
  expect(readActionsText(text)).toEqual(readActionsRecord(new TextEncoder().encode(text)));
});

function asking(fields: object): object {
  const action = { id: 'a', agentId: 'bot', type: 'tool_call', tool: 'pay', ...fields };
  return { event: 'action.requested', action };
}

/** Returns a record that has so many bytes, with characters of two bytes. */
function padded(bytes: number): string {
  const text = JSON.stringify(asking({ args: { text: 'é'.repeat(1_000) } }));
  return text + ' '.repeat(bytes - new TextEncoder().encode(text).length);
}
