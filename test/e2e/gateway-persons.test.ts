/**
 * The routes about persons: finding a person, reading sealed texts with each kind of key, and forgetting a person.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MandateError } from '@mandate/runtime';
import { readAccessRecord, readPersonsRecord, TOPICS } from '@mandate/schemas';
import { busWith, temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { type KeyName, type Plane, recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = 'version: 1\nid: open\nagents: ["*"]\n';
const PERSON = 'mia_li_3668';
const TEXT = 'mia@example.com';

function sealed(plane: Plane, text = TEXT, person = PERSON, tenant = 'acme'): string {
  const token = plane.personKeys.seal(tenant, person, text);
  if (token === null) throw new Error(`${person} is erased`);
  return token;
}

const ask = (plane: Plane, what: string, body: unknown) =>
  plane.call('protector', 'POST', `/v1/persons/${what}`, body);
const unseal = async (plane: Plane, ...tokens: string[]) =>
  (await ask(plane, 'unseal', { sealed: tokens })).body.unsealed;
const readsOf = async ({ bus }: Plane) =>
  (await recordsOf(bus, TOPICS.access)).map(({ value }) => readAccessRecord(value).read);

test('sealed texts can be read until the person is forgotten, and never again', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES, seals: true });
  const [token, other] = [sealed(plane), sealed(plane, 'of ben', 'ben')];
  const { body: found } = await ask(plane, 'find', { person: PERSON });
  expect(found).toEqual({
    ref: token.slice(0, token.lastIndexOf(':')),
    pseudonym: plane.personKeys.pseudonym('acme', PERSON),
    erased: false,
  });
  expect(await unseal(plane, token, other)).toEqual([{ text: TEXT }, { text: 'of ben' }]);

  const erased = await ask(plane, 'erase', { person: PERSON, reason: 'ticket 4711' });
  expect([erased.status, erased.body]).toEqual([
    200,
    { commandId: expect.stringMatching(/^ers_/), ref: found.ref, at: expect.any(String) },
  ]);
  expect(await unseal(plane, token, other)).toEqual([{ erased: true }, { text: 'of ben' }]);
  expect((await ask(plane, 'find', { person: PERSON })).body).toEqual({
    ref: found.ref,
    pseudonym: null,
    erased: true,
  });
  expect((await ask(plane, 'erase', { person: PERSON, reason: 'again' })).status).toBe(200);

  const records = (await recordsOf(plane.bus, TOPICS.persons)).map(({ value }) => readPersonsRecord(value));
  expect(records.slice(0, 2)).toEqual([
    expect.objectContaining({ event: 'persons.begun' }),
    {
      event: 'person.erased',
      erasure: {
        id: erased.body.commandId,
        tenant: 'acme',
        ref: found.ref,
        by: expect.stringMatching(/^protector \(.{12}\)$/),
        reason: 'ticket 4711',
        at: erased.body.at,
      },
    },
  ]);
});

test('a value that is not a sealed text of the tenant is unknown, and no input causes a server fault', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES, seals: true });
  const mine = sealed(plane);
  const theirs = sealed(plane, TEXT, PERSON, 'globex');
  const garbage = [
    theirs,
    `${mine} `,
    mine.replace(/.{4}\.$/, 'AAAA.'),
    '',
    '__proto__',
    `${'A'.repeat(300_000)}.`,
  ];
  expect(await unseal(plane, ...garbage)).toEqual(garbage.map(() => ({ unknown: true })));
  for (const person of ['__proto__', 'a\u0000b', 'x'.repeat(4_096)]) {
    expect((await ask(plane, 'find', { person })).status).toBe(200);
  }
  for (const [what, body] of [
    ['unseal', { sealed: [] }],
    ['unseal', { sealed: Array(1_001).fill(mine) }],
    ['unseal', { sealed: [1] }],
    ['find', { person: '' }],
    ['find', { person: 'x'.repeat(4_097) }],
    ['erase', { person: PERSON }],
  ] as const) {
    const { status, body: problem } = await ask(plane, what, body);
    expect([status, problem.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  for (const [what, body] of [
    ['unseal', { sealed: ['\ud800'] }],
    ['find', { person: '\ud800' }],
  ] as const) {
    const { status, body: problem } = await ask(plane, what, body);
    expect([status, problem.code]).toEqual([400, 'INVALID_JSON']);
  }
  expect((await ask(plane, 'unseal', { sealed: Array(1_000).fill(mine) })).status).toBe(200);
});

test('a read about persons is recorded before it is answered, and the record names no person', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES, seals: true });
  const [mias, bens] = [sealed(plane), sealed(plane, 'of ben', 'ben')];
  await unseal(plane, mias, bens, mias, 'no token');
  await ask(plane, 'find', { person: PERSON });
  const refs = [mias, bens].map((token) => token.slice(0, token.lastIndexOf(':')));
  const by = {
    tenant: 'acme',
    key: { id: expect.any(String), name: 'protector' },
    method: 'POST',
    refused: false,
  };
  expect(await readsOf(plane)).toEqual([
    expect.objectContaining({ ...by, route: '/v1/persons/unseal', parameters: { refs, count: '4' } }),
    expect.objectContaining({ ...by, route: '/v1/persons/find', parameters: { refs: [refs[0]] } }),
  ]);
});

test('a tenant can list its own erasures, and no other tenant can', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES, seals: true });
  const list = (key: KeyName, query = '') => plane.call(key, 'GET', `/v1/persons/erasures${query}`);
  expect((await list('protector')).body).toEqual({ erasures: [], next: null });
  const erased: unknown[] = [];
  for (const person of [PERSON, 'ben']) {
    const { body } = await ask(plane, 'erase', { person, reason: `ticket of ${erased.length}` });
    const by = expect.stringMatching(/^protector \(.{12}\)$/);
    erased.unshift({ ...body, by, reason: `ticket of ${erased.length}` });
  }
  for (const key of ['protector', 'auditor'] as const) {
    expect((await list(key)).body).toEqual({ erasures: erased, next: null });
  }
  const { body: newest } = await list('protector', '?limit=1');
  expect(newest).toEqual({ erasures: [erased[0]], next: expect.any(Number) });
  const { body: older } = await list('protector', `?limit=1&before=${newest.next}`);
  expect(older.erasures).toEqual([erased[1]]);
  expect((await list('stranger')).body).toEqual({ erasures: [], next: null });
  expect((await readsOf(plane)).map(({ key, route }) => [key?.name, route]).slice(0, 2)).toEqual([
    ['protector', '/v1/persons/erasures'],
    ['protector', '/v1/persons/erasures'],
  ]);
});

test('if the read cannot be recorded, nothing about a person is shown', async () => {
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    seals: true,
    between: ({ bus, ledger }) => ({
      ledger,
      bus: busWith(bus, {
        append: async (topic, records) => {
          if (topic !== TOPICS.access) return bus.append(topic, records);
          throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true });
        },
      }),
    }),
  });
  for (const [what, body] of [
    ['unseal', { sealed: [sealed(plane)] }],
    ['find', { person: PERSON }],
  ] as const) {
    const { status, body: problem } = await ask(plane, what, body);
    expect([status, problem.code]).toEqual([503, 'READ_NOT_RECORDED']);
  }
  const { status, body: problem } = await plane.call('auditor', 'GET', '/v1/persons/erasures');
  expect([status, problem.code]).toEqual([503, 'READ_NOT_RECORDED']);
});

test('no file in the folder contains the person’s id or the sealed text, not even in a reason', async () => {
  const folder = temporaryFolder();
  const plane = await startGatewayPlane({ mandates: MANDATES, seals: true, folder });
  const token = sealed(plane);
  const named = await ask(plane, 'erase', { person: PERSON, reason: `forget ${PERSON.toUpperCase()}` });
  expect([named.status, named.body.code]).toEqual([400, 'REASON_NAMES_PERSON']);
  expect(await unseal(plane, token)).toEqual([{ text: TEXT }]);
  await ask(plane, 'find', { person: PERSON });
  await ask(plane, 'erase', { person: PERSON, reason: 'ticket' });
  const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  expect(bytes.includes(token.slice(10, 43))).toBe(true);
  expect([PERSON, TEXT].filter((told) => bytes.includes(told))).toEqual([]);
});

test('if no field is sealed, persons can be neither found nor forgotten', async () => {
  const folder = temporaryFolder();
  const plane = await startGatewayPlane({ mandates: MANDATES, folder });
  for (const [what, body] of [
    ['erase', { person: PERSON, reason: 'ticket' }],
    ['find', { person: PERSON }],
    ['unseal', { sealed: ['text'] }],
  ] as const) {
    const { status, body: problem } = await ask(plane, what, body);
    expect([status, problem.code]).toEqual([409, 'PERSONS_NOT_SEALED']);
  }
  expect(readdirSync(folder)).not.toContain('person-keys');
});
