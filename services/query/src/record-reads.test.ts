/** The log records who asks a question before the audit is asked. */
import type { Bus } from '@mandate/bus';
import { MandateError } from '@mandate/runtime';
import { type AuditRead, readAccessRecord, TOPICS } from '@mandate/schemas';
import { type HttpLimits, issueApiKey } from '@mandate/server';
import { expect, test } from 'vitest';
import { fakeAudit } from './fake-audit.fixture.ts';
import { queryServer } from './query-server.fixture.ts';

const issue = (scope: 'audit' | 'publish') =>
  issueApiKey({ tenant: 'acme', scopes: [scope], agents: ['*'], name: `the ${scope} key` });
const [auditor, publisher, revoked, forged] = [
  issue('audit'),
  issue('publish'),
  issue('audit'),
  issue('audit'),
];
const KEYS = [
  auditor.record,
  publisher.record,
  { ...revoked.record, revokedAt: '2026-01-05T00:00:00.000Z' },
  // The server knows the id of this key, but stores the secret of another key for it.
  { ...forged.record, hash: auditor.record.hash },
];

const away = () =>
  Promise.reject(
    new MandateError('BUS_UNAVAILABLE', 'broker k1 is down', { remedy: 'wait', retryable: true }),
  );

async function serving({
  append,
  redactText,
  limits = {},
  timeoutMs = 60_000,
}: {
  append?: Bus['append'];
  redactText?: (text: string) => string;
  limits?: Partial<HttpLimits>;
  timeoutMs?: number;
} = {}) {
  const reads: AuditRead[] = [];
  /** The events of the test in order: records on the log and questions to the audit. */
  const happened: string[] = [];
  const bus: Pick<Bus, 'append'> = {
    append:
      append ??
      (async (topic, records) => {
        expect(topic).toBe(TOPICS.access);
        reads.push(...records.map(({ value }) => readAccessRecord(Buffer.from(value)).read));
        happened.push('recorded');
        return [];
      }),
  };
  const audit = fakeAudit(async () => {
    happened.push('asked');
    return [];
  });
  const routes: { method: string; path: string }[] = [];
  const server = await queryServer({
    audit,
    bus,
    keys: KEYS,
    limits,
    timeoutMs,
    ...(redactText && { redactText }),
    prepare: (unrouted) =>
      unrouted.addHook('onRoute', ({ method, url }) => {
        for (const one of [method].flat()) routes.push({ method: one, path: url });
      }),
  });
  await server.ready();
  const ask = (url: string, { key } = auditor, method: 'GET' | 'HEAD' = 'GET', payloadAsStream = false) =>
    server.inject({ method, url, headers: { 'x-api-key': key, 'x-request-id': 'req-1' }, payloadAsStream });
  return { ask, routes, reads, happened, close: () => server.close() };
}

const isStream = (path: string) => path === '/v1/audit/live';

/** Returns the path with a value instead of each parameter. */
const asked = (path: string) => path.replaceAll(/:\w+/g, 'dec_1');

test('every route records who asks for what before it asks the audit', async () => {
  const { ask, routes, reads, happened } = await serving();
  expect(routes.length).toBeGreaterThan(30);
  // Streams come last, because they run on for a moment after their listener has left.
  const streamsLast = routes.toSorted((a, b) => Number(isStream(a.path)) - Number(isStream(b.path)));
  for (const { method, path } of streamsLast) {
    happened.length = 0;
    const answer = await ask(asked(path), auditor, method === 'HEAD' ? 'HEAD' : 'GET', true);
    answer.stream().destroy();
    expect([method, path, happened[0], happened.filter((one) => one === 'recorded').length]).toEqual([
      method,
      path,
      'recorded',
      1,
    ]);
    expect(reads.at(-1)).toMatchObject({
      tenant: 'acme',
      key: { id: auditor.record.id, name: 'the audit key' },
      method,
      route: path,
      parameters: path.includes(':id') ? { id: 'dec_1' } : {},
      refused: false,
      requestId: 'req-1',
      traceId: null,
    });
  }
});

test('answers 503 on every route while the log is unavailable, and does not ask the audit', async () => {
  const { ask, routes, happened } = await serving({ append: away });
  for (const { method, path } of routes) {
    const answer = await ask(asked(path), auditor, method === 'HEAD' ? 'HEAD' : 'GET');
    expect([path, answer.statusCode]).toEqual([path, 503]);
    if (method === 'HEAD') continue;
    expect(answer.json()).toMatchObject({ code: 'READ_NOT_RECORDED', remedy: expect.stringMatching(/log/) });
    expect(answer.body).not.toContain('k1');
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(happened).toEqual([]);
});

test('waits at most as long for the log as for a question', async () => {
  const { ask, happened } = await serving({ append: () => new Promise(() => {}), timeoutMs: 20 });
  const answer = await ask('/v1/audit/decisions');
  expect([answer.statusCode, answer.json().code]).toEqual([503, 'READ_NOT_RECORDED']);
  expect(happened).toEqual([]);
});

test('records the refusal of a key without the scope, and answers 503 if the log is away', async () => {
  const { ask, reads, happened } = await serving();
  expect((await ask('/v1/audit/decisions?agent=bot', publisher)).statusCode).toBe(403);
  expect(reads).toMatchObject([
    {
      key: { name: 'the publish key' },
      route: '/v1/audit/decisions',
      parameters: { agent: 'bot' },
      refused: true,
    },
  ]);
  expect(happened).toEqual(['recorded']);

  const without = await serving({ append: away });
  const answer = await without.ask('/v1/audit/decisions', publisher);
  expect([answer.statusCode, answer.json().code]).toEqual([503, 'READ_NOT_RECORDED']);
});

test("records a request with an invalid key for the tenant that owns the key's id, without the parameters of the request", async () => {
  const { ask, reads, close } = await serving();
  const unknown = issue('audit');
  for (const shown of [revoked, forged, unknown, { ...unknown, key: 'sk-none' }])
    expect((await ask('/v1/audit/decisions/dec_1?agent=bot', shown)).statusCode).toBe(401);
  expect(reads).toHaveLength(2);
  await close();
  const route = '/v1/audit/decisions/:id';
  const asked = { route, parameters: {}, refused: true, code: 'UNAUTHENTICATED', requestId: 'req-1' };
  const of = ({ record: { id, name } }: typeof revoked) => ({ tenant: 'acme', key: { id, name } });
  expect(reads).toMatchObject([
    { ...asked, ...of(revoked) },
    { ...asked, tenant: null, key: null },
    { ...asked, ...of(forged) },
    { ...asked, tenant: null, key: null },
  ]);
  const away = await serving({ append: () => Promise.reject(new Error('away')) });
  expect((await away.ask('/v1/audit/decisions', unknown)).statusCode).toBe(401);
  await away.close();
});

test('refuses a request above the rate of its key, and records the refusal', async () => {
  const { ask, reads, close } = await serving({ limits: { requestsPerKeyPerSecond: 1 } });
  expect((await ask('/v1/audit/decisions')).statusCode).toBe(200);
  expect((await ask('/v1/audit/decisions')).statusCode).toBe(429);
  await close();
  expect(reads).toMatchObject([{ refused: false }, { refused: true, code: 'TOO_MANY_REQUESTS' }]);
});

test('records a request with invalid parameters unchanged', async () => {
  const { ask, reads } = await serving();
  const answer = await ask('/v1/audit/decisions?colour=red&agent=a&agent=b');
  expect(answer.statusCode).toBe(400);
  expect(reads).toMatchObject([{ parameters: { colour: 'red', agent: ['a', 'b'] }, refused: false }]);
});

test('removes personal data from all text of a caller, even where the text is cut', async () => {
  const redactText = (text: string) => text.replaceAll(/\w+@\w+\.\w+/g, '[email]');
  const { ask, reads } = await serving({ redactText });
  const long = `${'x'.repeat(248)} ada@example.com and more`;
  await ask(`/v1/audit/decisions?text=${encodeURIComponent(long)}&bob@example.com=1`);
  await ask('/v1/audit/decisions/eve@example.com');
  expect(reads.map(({ parameters }) => parameters)).toEqual([
    { text: `${'x'.repeat(248)} [email]…`, '[email]': '1' },
    { id: '[email]' },
  ]);
});
