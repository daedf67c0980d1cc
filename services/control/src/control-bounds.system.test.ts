/**
 * Tests that a change that no reader could parse is refused before it is written, and that lists of large documents
 * can still be read.
 */
import { byLength } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlOn, openLog } from './control-server.fixture.ts';

const RULE = { version: 1, id: 'deep', policy: 'reads' };
const MANY = Array.from(
  { length: byLength({ short: 20, full: 40 }) },
  (_, at) => `p${String(at).padStart(2, '0')}`,
);

test('never writes a change that could not be read back', async () => {
  const { call, followed } = await controlOn(await openLog());
  let when: object = { field: 'action.tool', op: '==', value: 'ls' };
  for (let deep = 0; deep < 31; deep += 1) when = { not: [when] };
  expect(await call('author', 'POST', '/v1/rules', { body: { ...RULE, when } })).toMatchObject({
    status: 413,
    body: { code: 'CHANGE_TOO_LARGE', detail: expect.stringContaining('nested more than 64 deep') },
  });
  const labels = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`l${at}`, true]));
  expect(await call('author', 'POST', '/v1/agents', { body: { id: 'bot', labels } })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED' },
  });
  const dear = { field: 'action.tool', op: 'matches', value: 'a{1000}$' };
  const body = { ...RULE, when: { any: Array.from({ length: 10 }, () => dear) } };
  expect(await call('author', 'POST', '/v1/rules', { body })).toMatchObject({
    status: 400,
    body: {
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/when', detail: expect.stringContaining('steps') }],
    },
  });
  // Clients treat `..` in a path as the parent folder, even if it is written as %2e%2e. So no request could change or
  // remove a document named `..`.
  for (const [path, body] of [
    ['rules', { ...RULE, id: 'reorder' }],
    ['rules', { ...RULE, id: '..' }],
    ['policies', { version: 1, id: '..' }],
    ['agents', { id: '.' }],
  ] as const)
    expect(await call('author', 'POST', `/v1/${path}`, { body })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/id' }] },
    });
  expect(followed.revision()).toBe(0);
});

test('refuses a body with a repeated key, and a body that is nested too deep', async () => {
  const { call, followed } = await controlOn(await openLog());
  const twice = '{"version": 1, "id": "dear", "maxCostTotal": 1, "maxCostTotal": 100}';
  expect(await call('author', 'POST', '/v1/policies', { text: twice })).toMatchObject({
    status: 400,
    body: {
      code: 'INVALID_JSON',
      detail: expect.stringContaining('line 1, column 49: the key "maxCostTotal"'),
    },
  });
  const when = `${'{"not":['.repeat(450)}{"field":"action.tool","op":"==","value":"ls"}${']}'.repeat(450)}`;
  const text = `{"version":1,"id":"deep","policy":"reads","when":${when}}`;
  expect(await call('author', 'POST', '/v1/rules', { text })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_JSON', detail: expect.stringContaining('nested deeper than 128') },
  });
  expect(followed.revision()).toBe(0);
});

test('a POST refuses If-Match, and accepts If-None-Match', async () => {
  const { call } = await controlOn(await openLog());
  const body = { id: 'bot' };
  expect(await call('author', 'POST', '/v1/agents', { body, headers: { 'if-match': '"3"' } })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_PRECONDITION' },
  });
  const added = await call('author', 'POST', '/v1/agents', { body, headers: { 'if-none-match': '*' } });
  expect(added.status).toBe(201);
});

test('a page of large documents is shorter, and all pages together contain every document', async () => {
  const { call } = await controlOn(await openLog());
  const tools = Array.from({ length: 4_000 }, (_, at) => `tool-${at}-${'x'.repeat(100)}`);
  for (const id of MANY) await call('author', 'POST', '/v1/policies', { body: { version: 1, id, tools } });
  const seen: string[] = [];
  let pages = 0;
  for (let next: string | null = ''; next !== null; pages += 1) {
    const { body } = await call('author', 'GET', `/v1/policies?limit=1000${next && `&cursor=${next}`}`);
    seen.push(...body.policies.map(({ policy }: { policy: { id: string } }) => policy.id));
    next = body.next;
  }
  expect(seen).toEqual(MANY);
  expect(pages).toBeGreaterThan(1);
});
