import { silentLogger } from '@mandate/runtime';
import { type AuditRead, quotasInForce, readAccessRecord, type TenantQuotas } from '@mandate/schemas';
import { createHttpServer, createMetrics, HttpProblem, issueApiKey, memoryKeyStore } from '@mandate/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordHttpReads } from './record-http-reads.ts';

/** Starts a service with two routes. One route fails with `problem`, and the other route records its reads. */
async function serving(problem: HttpProblem, quotas: TenantQuotas = {}) {
  const { key, record } = issueApiKey({ tenant: 'acme', name: 'ann', scopes: ['author'], agents: ['*'] });
  const recorded: AuditRead[] = [];
  const append = async (_: string, records: readonly { value: string | Uint8Array }[]) => {
    for (const { value } of records) recorded.push(readAccessRecord(Buffer.from(value)).read);
    return [];
  };
  const log = silentLogger();
  const inForce = quotasInForce(quotas);
  // The time is fixed, so that a slow machine frees no part of a quota during a test.
  const nowMs = Date.now();
  const server = await createHttpServer({
    ...{ service: 'test', version: '0', log, metrics: createMetrics({ service: 'test' }) },
    ...{ keys: memoryKeyStore([record]), readiness: async () => [], quotas: () => inForce },
    clock: () => nowMs,
  });
  const reads = recordHttpReads({
    ...{ bus: { append }, source: 'test', clock: Date.now, log },
    redactText: (text) => text,
  });
  server.register(async (scoped) => {
    reads.recordRefusals(scoped);
    scoped.get('/v1/things', { config: { scope: 'author' } }, () => {
      throw problem;
    });
  });
  server.register(async (scoped) => {
    reads.recordAll(scoped);
    scoped.get('/v1/read', { config: { scope: 'author' } }, () => ({}));
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(close);
  const get = (url: string) => server.inject({ url, headers: { authorization: `Bearer ${key}` } });
  return { get, recorded, close };
}

const refusal = (status: number, code: string, extension = {}) =>
  new HttpProblem(status, code, 'no', { remedy: 'Wait.', extension });

test.each([
  [409, 'TENANT_CLOSED', 1],
  [403, 'AGENT_NOT_ALLOWED', 1],
  [401, 'ADMIN_REVOKED', 1],
  [429, 'TOO_MANY_RECORDS', 1],
  [409, 'REVISION_CONFLICT', 0],
  [404, 'NOT_FOUND', 0],
])(
  'a refusal with %i %s leads to %i records, which contain the code and the caller',
  async (status, code, times) => {
    const { get, recorded, close } = await serving(refusal(status, code));
    const answer = await get('/v1/things');
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    await close();
    expect(recorded.map((read) => [read.code, read.key?.name])).toEqual(Array(times).fill([code, 'ann']));
  },
);

describe('a flood', () => {
  const few = { reads: { perSecond: 1, burst: 10 } };

  test('of requests beyond the limit of an agent is counted for this agent', async () => {
    const { get, recorded, close } = await serving(refusal(429, 'TOO_MANY_REFUSALS', { agentId: 'bot' }));
    for (let times = 0; times < 30; times += 1) await get('/v1/things');
    await close();
    expect(recorded.map(({ parameters }) => parameters)).toEqual([
      { agent: 'bot' },
      { agent: 'bot', refusals: '29' },
    ]);
  });

  test('of requests without permission is recorded up to the limit of reads, and then only counted', async () => {
    const { get, recorded, close } = await serving(refusal(403, 'AGENT_NOT_ALLOWED'), few);
    for (let times = 0; times < 30; times += 1) expect((await get('/v1/things')).statusCode).toBe(403);
    await close();
    expect(recorded).toHaveLength(5 + 2);
    expect(recorded.at(-1)?.parameters).toEqual({ refusals: '24' });
  });

  test('of reads is refused and counted above the limit of the tenant', async () => {
    const { get, recorded, close } = await serving(refusal(404, 'NOT_FOUND'), few);
    const statuses = [];
    for (let times = 0; times < 30; times += 1) statuses.push((await get('/v1/read')).statusCode);
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(25).fill(429)]);
    await close();
    expect(recorded.filter(({ refused }) => !refused)).toHaveLength(5);
    expect(
      recorded.filter(({ code }) => code === 'TOO_MANY_READS').map(({ parameters }) => parameters),
    ).toEqual([{}, { refusals: '24' }]);
  });

  test('of requests with long parameters counts one read for each KiB of parameters', async () => {
    const { get, recorded } = await serving(refusal(404, 'NOT_FOUND'), few);
    const long = ['a', 'b', 'c', 'd'].map((name) => `${name}=${'x'.repeat(1_000)}`).join('&');
    expect((await get(`/v1/read?${long}`)).statusCode).toBe(200);
    expect(recorded).toHaveLength(1);
    expect([(await get('/v1/read')).statusCode]).toEqual([200]);
    expect((await get(`/v1/read?${long}`)).statusCode).toBe(200);
    expect((await get('/v1/read')).statusCode).toBe(429);
  });
});
