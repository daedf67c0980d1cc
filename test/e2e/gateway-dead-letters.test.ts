/**
 * Tests over HTTP how an operator reads a dead letter and republishes it once. The log must have a record of the
 * republication.
 */

import { deadLetterId } from '@mandate/policy';
import { MandateError } from '@mandate/runtime';
import {
  type DeadLetter,
  type Republication,
  readDeadLettersRecord,
  TOPICS,
  topicOfTenant,
} from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { type Plane, recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: bots
agents: ["*"]
maxCostTotal: 1.00
`;

const BROKEN = '{"event":"action.requested","action":{"id":"a-1","agentId":"bot-1"}}';
const mended = (more: object = {}) => ({
  event: 'action.requested',
  action: { id: 'a-1', agentId: 'bot-1', type: 'tool_call', tool: 'look', ...more },
});

type Listed = DeadLetter['deadLetter'] & { partition: number; offset: number };

async function letters(plane: Plane): Promise<Listed[]> {
  return (await plane.call('owner', 'GET', '/v1/dead-letters')).body.deadLetters as Listed[];
}

/** Returns a plane with one dead letter, the path of the dead letter, and functions that call its routes. */
async function withLetter(value: string | Uint8Array = BROKEN, options = {}) {
  const plane = await startGatewayPlane({ mandates: MANDATES, ...options });
  await plane.decide();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await plane.bus.append(TOPICS.actions, [{ key: 'acme/bot-1', value, headers: { traceparent } }]);
  const letter = await waitUntil('the dead letter', async () => (await letters(plane))[0]);
  const path = `/v1/dead-letters/${letter.partition}/${letter.offset}`;
  const republish = (body?: object, key?: string) =>
    plane.call(
      'owner',
      'POST',
      `${path}/republish`,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const history = async () => (await plane.call('owner', 'GET', path)).body.republications as Republication[];
  return { plane, letter, path, republish, history, traceparent };
}

test('a corrected dead letter needs a key that may publish the new content, and must name the same agent', async () => {
  const { plane, path, republish } = await withLetter();
  const asRunner = (body: object) => plane.call('runner', 'POST', `${path}/republish`, body);
  const outcome = {
    event: 'action.completed',
    outcome: { actionId: 'a-1', agentId: 'bot-1', status: 'cancelled' },
  };
  for (const value of [mended(), outcome, null])
    expect((await asRunner({ value })).body.code).toBe('FORBIDDEN');
  const other = await republish({ value: mended({ agentId: 'bot-2' }) });
  expect(other).toMatchObject({ status: 400, body: { code: 'INVALID_ACTION' } });
  expect(other.body.errors).toMatchObject([{ pointer: '/value/action/agentId' }]);
  expect((await asRunner({})).status).toBe(202);
});

/** Returns the records that were published from this dead letter. */
async function publishedFrom(plane: Plane, { id }: Listed) {
  const records = await recordsOf(plane.bus, TOPICS.actions);
  return records.filter(({ headers }) => headers['mandate-dead-letter'] === id);
}

test('a dead letter is shown completely: the fault and its position in the text, the value, and the trace', async () => {
  const { plane, letter, path, traceparent } = await withLetter();
  const { status, body } = await plane.call('owner', 'GET', path);
  expect({ status, ...body }).toMatchObject({
    status: 200,
    partition: letter.partition,
    offset: letter.offset,
    text: BROKEN,
    headers: { traceparent, ce_id: letter.id },
    republications: [],
    deadLetter: { id: letter.id, fault: { pointer: '/action/type', line: 1, column: letter.fault.column } },
  });
  expect((await plane.call('operator', 'GET', path)).status).toBe(403);
  expect((await plane.call('owner', 'GET', '/v1/dead-letters/0/999')).body.code).toBe(
    'DEAD_LETTER_NOT_FOUND',
  );
});

test('dead letters are listed newest first, in pages, and are republished unchanged or corrected', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const append = (n: number) =>
    plane.bus.append(TOPICS.actions, [{ key: `acme/bot-${n}`, value: `{"broken": ${n}` }]);
  const page = async (query = '') => (await plane.call('owner', 'GET', `/v1/dead-letters${query}`)).body;
  for (let n = 0; n < 5; n += 1) {
    await append(n);
    await waitUntil(`dead letter ${n}`, async () => (await letters(plane)).length === n + 1);
  }
  const all = await letters(plane);
  expect(all.map(({ key }) => key)).toEqual([
    'acme/bot-4',
    'acme/bot-3',
    'acme/bot-2',
    'acme/bot-1',
    'acme/bot-0',
  ]);
  const first = await page('?limit=3');
  const second = await page(`?limit=3&before=${first.next}`);
  expect([...(first.deadLetters as Listed[]), ...(second.deadLetters as Listed[])]).toEqual(all);
  expect(second.next).toBeNull();
  expect((await plane.call('owner', 'GET', '/v1/dead-letters?before=nonsense')).body.code).toBe(
    'INVALID_CURSOR',
  );

  const [newest] = all;
  if (newest === undefined) throw new Error('no dead letter');
  const path = `/v1/dead-letters/${newest.partition}/${newest.offset}/republish`;
  const lying = await plane.bus.at({ topic: TOPICS.deadLetters, ...newest });
  const before = await plane.bus.ranges(TOPICS.actions);
  const same = await plane.call('owner', 'POST', path);
  expect(same.status).toBe(202);
  const source = same.body.source as { topic: string; partition: number; offset: number };
  const record = await plane.bus.at({ ...source, offset: source.offset });
  expect(record).toMatchObject({ key: newest.key, headers: { 'mandate-dead-letter': newest.id } });
  expect(Buffer.from(record?.value ?? []).toString()).toBe('{"broken": 4');
  expect(before.find(({ partition }) => partition === source.partition)?.endOffset).toBe(source.offset);

  const value = mended({ id: 'mended', agentId: 'bot-4', tenant: 'acme', args: { password: 'hunter2' } });
  const corrected = await plane.call('owner', 'POST', path, { value, again: true });
  expect(corrected.body).toMatchObject({ deadLetterId: newest.id, source: { topic: TOPICS.actions } });
  const decided = await waitUntil('the decision', async () => {
    const reply = await plane.call('owner', 'GET', '/v1/actions/mended');
    return reply.status === 200 && reply;
  });
  expect(decided.body.decision).toMatchObject({ verdict: 'ALLOW', tenant: 'acme' });
  const texts = (await recordsOf(plane.bus, TOPICS.actions)).map(({ value }) =>
    Buffer.from(value).toString(),
  );
  expect(texts.filter((text) => text.includes('mended'))).toEqual([expect.stringContaining('[redacted]')]);

  const still = await plane.call('owner', 'POST', path, {
    value: { event: 'action.requested' },
    again: true,
  });
  expect([still.status, still.body.code]).toEqual([400, 'INVALID_ACTION']);

  const letter: DeadLetter = JSON.parse(Buffer.from(lying?.value ?? []).toString());
  const ofBatch = { ...letter, deadLetter: { ...letter.deadLetter, lastOffset: 9 } };
  const [batch] = await plane.bus.append(TOPICS.deadLetters, [{ key: null, value: JSON.stringify(ofBatch) }]);
  const { partition, offset } = batch?.position ?? {};
  const whole = await plane.call('owner', 'POST', `/v1/dead-letters/${partition}/${offset}/republish`);
  expect([whole.status, whole.body.code]).toEqual([409, 'NOT_REPUBLISHABLE']);
  expect((await plane.call('owner', 'POST', '/v1/dead-letters/0/999/republish')).status).toBe(404);
  expect((await plane.call('owner', 'POST', '/v1/dead-letters/0/x/republish')).status).toBe(400);
});

test('a value that is not text is shown as null', async () => {
  const { plane, path } = await withLetter(Buffer.from([0xff, 0xfe]));
  expect((await plane.call('owner', 'GET', path)).body).toMatchObject({ text: null });
});

test('after the dead letter, the log has a record of its republication: author, reason, whether corrected, and log position', async () => {
  const { plane, letter, republish, history, traceparent } = await withLetter();
  const first = await republish({ value: mended(), reason: 'a type was missing' });
  expect(first.status).toBe(202);
  const [told, ...others] = await history();
  expect(others).toEqual([]);
  expect(told).toMatchObject({
    id: first.body.republicationId,
    by: expect.stringContaining('owner'),
    reason: 'a type was missing',
    letterId: letter.id,
    corrected: true,
    tenant: 'default',
    source: first.body.source,
  });
  const lying = (await recordsOf(plane.bus, TOPICS.deadLetters)).filter(
    ({ value }) => readDeadLettersRecord(value).event === 'deadletter.republished',
  );
  expect(lying.map(({ position }) => position.partition)).toEqual([letter.partition]);
  expect(await letters(plane)).toHaveLength(1);
  expect((await publishedFrom(plane, letter)).map(({ headers }) => headers.traceparent)).toEqual([
    traceparent,
  ]);

  const decided = await waitUntil('the decision', async () =>
    (await plane.decided()).find(({ event }) => event === 'action.decided'),
  );
  expect(decided).toMatchObject({ decision: { actionId: 'a-1' } });
  const id = decided.event === 'action.decided' ? decided.decision.id : '';
  expect(told?.answerIds).toContain(id);
});

test('if the republished value cannot be read either, the record has the id of the new dead letter', async () => {
  const { plane, letter, republish, history } = await withLetter();
  await republish();
  const [told] = await history();
  expect(told).toMatchObject({ corrected: false, tenant: null });
  const again = await waitUntil('the second letter', async () =>
    (await letters(plane)).find(({ id }) => id !== letter.id),
  );
  expect(told?.answerIds).toContain(again.id);
  expect(again.id).toBe(deadLetterId(again.source, Date.parse(told?.appendedAt ?? '')));
});

test('a second republication is refused unless the operator confirms it; a repetition under the same Idempotency-Key gets the first answer', async () => {
  const { plane, letter, republish, history } = await withLetter();
  const key = 'mend-1';
  const body = { value: mended() };
  const both = await Promise.all([republish(body, key), republish(body, key)]);
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  expect(both[1]?.body).toEqual(both[0]?.body);
  expect(await publishedFrom(plane, letter)).toHaveLength(1);

  for (const [more, name] of [
    [body, undefined],
    [body, 'mend-2'],
    [{ value: mended({ tool: 'send' }) }, key],
  ] as const) {
    const refused = await republish(more, name);
    expect([refused.status, refused.body.code]).toEqual([409, 'ALREADY_REPUBLISHED']);
    expect(refused.body.detail).toContain('owner');
  }
  expect(await publishedFrom(plane, letter)).toHaveLength(1);
  expect((await republish({ ...body, again: true })).status).toBe(202);
  expect(await history()).toHaveLength(2);
});

test('if two operators republish one dead letter at the same time, one succeeds and the other is refused', async () => {
  const { plane, letter, republish } = await withLetter();
  const both = await Promise.all([republish({ value: mended() }), republish({ value: mended() })]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(await publishedFrom(plane, letter)).toHaveLength(1);
});

test('records of a newer version on the dead-letter topic are ignored', async () => {
  const { plane, letter, republish, history } = await withLetter();
  const { partition } = letter;
  const value = JSON.stringify({ event: 'deadletter.forgotten', letterId: letter.id });
  await plane.bus.append(TOPICS.deadLetters, [
    { key: null, partition, value },
    { key: null, partition, value: `${letter.id} and no JSON` },
  ]);
  expect((await letters(plane)).map(({ id }) => id)).toEqual([letter.id]);
  expect((await republish({ value: mended() })).status).toBe(202);
  expect(await history()).toHaveLength(1);
});

test('a dead letter of a tenant’s own topic goes back to that topic, for that tenant only', async () => {
  const { plane, letter } = await withLetter();
  const source = { topic: topicOfTenant('acme'), partition: 0, offset: 7 };
  const theirs = { event: 'dead.letter', deadLetter: { ...letter, id: 'dlq_theirs', source } };
  const [lies] = await plane.bus.append(TOPICS.deadLetters, [{ key: null, value: JSON.stringify(theirs) }]);
  const path = `/v1/dead-letters/${lies?.position.partition}/${lies?.position.offset}`;
  const foreign = await plane.call('owner', 'POST', `${path}/republish`, {
    value: mended({ tenant: 'other' }),
  });
  expect(foreign).toMatchObject({
    status: 400,
    body: { code: 'INVALID_ACTION', errors: [{ pointer: '/value/action/tenant' }] },
  });
  const sent = await plane.call('owner', 'POST', `${path}/republish`, { value: mended() });
  expect(sent.body).toMatchObject({ source: { topic: source.topic } });
  expect((await plane.call('owner', 'GET', path)).body.republications).toMatchObject([{ tenant: 'acme' }]);
});

test('if only the record of the republication does not reach the log, the answer says so and names the published record’s log position', async () => {
  let away = false;
  const { plane, letter, republish } = await withLetter(BROKEN, {
    between: ({ bus, ledger }: Pick<Plane, 'bus' | 'ledger'>) => ({
      ledger,
      bus: new Proxy(bus, {
        get(target, name) {
          const found = Reflect.get(target, name);
          if (typeof found !== 'function') return found;
          if (name !== 'append') return found.bind(target);
          return (topic: string, records: Parameters<Plane['bus']['append']>[1]) => {
            if (away && topic === TOPICS.deadLetters) {
              throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true });
            }
            return target.append(topic, records);
          };
        },
      }),
    }),
  });
  away = true;
  const { status, body } = await republish({ value: mended() });
  const [published] = await publishedFrom(plane, letter);
  expect({ status, ...body }).toMatchObject({
    status: 503,
    code: 'REPUBLISHED_NOT_NOTED',
    source: { offset: published?.position.offset },
  });
});
