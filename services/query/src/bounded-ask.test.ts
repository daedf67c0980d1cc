import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type AuditClient, identity } from '@mandate/audit';
import { MandateError, silentLogger } from '@mandate/runtime';
import { createMetrics } from '@mandate/server';
import { expect, test, vi } from 'vitest';
import { boundedAsk, exportWithin } from './bounded-ask.ts';
import { fakeAudit } from './fake-audit.fixture.ts';

const patient = { tenant: 'acme', gone: new AbortController().signal };

function asking(query: AuditClient['query'], asker = patient, timeoutMs = 60_000) {
  const metrics = createMetrics({ service: 'query' });
  const ask = boundedAsk({ audit: fakeAudit(query), log: silentLogger(), metrics, timeoutMs });
  return ask(asker, identity, {});
}

const failing = (code: string, retryable: boolean) =>
  asking(async () => {
    throw new MandateError(code, 'clickhouse-7 said no to mandate_query', { remedy: '', retryable });
  });

test.each(['AUDIT_UNAVAILABLE', 'AUDIT_ACCESS_DENIED', 'AUDIT_DATABASE_MISSING'])(
  '%s gives 503, and no part of ClickHouse’s message',
  async (code) => {
    const problem = await failing(code, true).catch((error: unknown) => error);
    expect(problem).toMatchObject({ status: 503, code: 'AUDIT_UNAVAILABLE' });
    expect(String(problem)).not.toContain('clickhouse-7');
  },
);

test('throws an error that a retry would not fix without a change', async () => {
  await expect(failing('AUDIT_ANSWER_UNEXPECTED', false)).rejects.toMatchObject({
    code: 'AUDIT_ANSWER_UNEXPECTED',
  });
});

/** Returns an audit that never answers. `givenUp` is the signal that it received. */
function hanging() {
  let givenUp: AbortSignal | undefined;
  const query: AuditClient['query'] = (_sql, _params, _row, signal) => {
    givenUp = signal;
    return new Promise(() => {});
  };
  return { query, isGivenUp: () => givenUp?.aborted };
}

const unavailable = { status: 503, code: 'AUDIT_UNAVAILABLE' };

test('gives up a question that takes too long', async () => {
  const { query, isGivenUp } = hanging();
  await expect(asking(query, patient, 1)).rejects.toMatchObject(unavailable);
  expect(isGivenUp()).toBe(true);
});

test('gives up a question when its caller has gone', async () => {
  const { query, isGivenUp } = hanging();
  const leaving = new AbortController();
  const answer = asking(query, { tenant: 'acme', gone: leaving.signal });
  await vi.waitFor(() => expect(isGivenUp()).toBe(false));
  leaving.abort();
  await expect(answer).rejects.toMatchObject(unavailable);
  expect(isGivenUp()).toBe(true);
});

test('asks nothing for a caller that has already disconnected', async () => {
  let questions = 0;
  const query: AuditClient['query'] = async () => {
    questions += 1;
    return [];
  };
  const gone = AbortSignal.abort();
  await expect(asking(query, { tenant: 'acme', gone })).rejects.toMatchObject(unavailable);
  expect(questions).toBe(0);
});

test('a part of an export leaves no listener on its caller’s signal after it was read', async () => {
  const audit = { ...fakeAudit(async () => []), file: async () => Readable.from(['{}']) };
  const file = exportWithin((_asker, work) => work(new AbortController().signal), audit);
  const asker = { tenant: 'acme', gone: new AbortController().signal };
  for (let part = 0; part < 3; part += 1)
    await buffer(await file(asker, 'decisions', { tenant: 'acme' }, { format: 'ndjson' }));
  await vi.waitFor(() => expect(getEventListeners(asker.gone, 'abort')).toEqual([]));
});
