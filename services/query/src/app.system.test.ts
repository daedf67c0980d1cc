/**
 * Tests the service with real sockets and an audit that never answers. Questions of one tenant must not block other
 * tenants.
 */
import type { AuditClient } from '@mandate/audit';
import { issueApiKey } from '@mandate/server';
import { expect, test, vi } from 'vitest';
import { fakeAudit } from './fake-audit.fixture.ts';
import { queryServer } from './query-server.fixture.ts';

const issue = (tenant: string) => issueApiKey({ tenant, scopes: ['audit'], agents: ['*'], name: tenant });
const [acme, bravo] = [issue('acme'), issue('bravo')];

/**
 * Starts a service. Questions of the tenant acme get no answer until the service gives them up.
 */
async function serving() {
  const underWay = new Set<AbortSignal>();
  const query: AuditClient['query'] = (_sql, { tenant }, _row, givenUp) =>
    new Promise((resolve, reject) => {
      if (tenant !== 'acme' || givenUp === undefined) return resolve([]);
      underWay.add(givenUp);
      givenUp.addEventListener('abort', () => {
        underWay.delete(givenUp);
        reject(givenUp.reason);
      });
    });
  const keys = [acme.record, bravo.record];
  const server = await queryServer({ audit: fakeAudit(query), keys, timeoutMs: 60_000 });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const leaving = new AbortController();
  const ask = async ({ key }: typeof acme) => {
    const headers = { 'x-api-key': key };
    const answer = await fetch(`${address}/v1/audit/decisions`, { headers, signal: leaving.signal });
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      body: await answer.json(),
    };
  };
  return { ask, underWay, leave: () => leaving.abort() };
}

test('refuses a tenant with too many questions at once, answers other tenants, and gives up questions without a waiting caller', async () => {
  const { ask, underWay, leave } = await serving();
  const flood = Array.from({ length: 60 }, () => ask(acme));
  const ended = Promise.allSettled(flood);
  expect(await Promise.race(flood)).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { code: 'OVERLOADED' },
  });
  expect(underWay.size).toBe(4);
  expect((await ask(bravo)).status).toBe(200);

  leave();
  await ended;
  await vi.waitFor(() => expect(underWay.size).toBe(0), { timeout: 30_000 });
});
