import {
  createHttpServer,
  createMetrics,
  HttpProblem,
  issueApiKey,
  memoryKeyStore,
  silentLogger,
} from '@mandate/runtime';
import { readAccessRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { recordHttpReads } from './record-http-reads.ts';

test.each([
  [409, 'TENANT_CLOSED', 1],
  [403, 'AGENT_NOT_ALLOWED', 1],
  [401, 'ADMIN_REVOKED', 1],
  [409, 'REVISION_CONFLICT', 0],
  [404, 'NOT_FOUND', 0],
])(
  'whoever is refused with %i %s by a route is on record %i times, with why',
  async (status, code, times) => {
    const { key, record } = issueApiKey({ tenant: 'acme', name: 'ann', scopes: ['author'], agents: ['*'] });
    const codes: unknown[] = [];
    const append = async (_: string, records: readonly { value: string | Uint8Array }[]) => {
      for (const { value } of records) codes.push(readAccessRecord(Buffer.from(value)).read.code);
      return [];
    };
    const log = silentLogger();
    const server = await createHttpServer({
      ...{ service: 'test', version: '0', log, metrics: createMetrics({ service: 'test' }) },
      ...{ keys: memoryKeyStore([record]), readiness: async () => [] },
    });
    const reads = recordHttpReads({
      ...{ bus: { append }, source: 'test', clock: Date.now, log },
      redactText: (text) => text,
    });
    server.register(async (scoped) => {
      reads.recordRefusals(scoped);
      scoped.get('/v1/things', { config: { scope: 'author' } }, () => {
        throw new HttpProblem(status, code, 'no', { remedy: 'Wait.' });
      });
    });
    const answer = await server.inject({ url: '/v1/things', headers: { authorization: `Bearer ${key}` } });
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    await server.close();
    expect(codes).toEqual(Array(times).fill(code));
  },
);
