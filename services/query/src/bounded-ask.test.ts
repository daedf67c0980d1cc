import { type AuditClient, identity } from '@mandate/audit';
import { createMetrics, MandateError, silentLogger } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { boundedAsk } from './bounded-ask.ts';

function asking(query: AuditClient['query']) {
  const metrics = createMetrics({ service: 'query' });
  const nothing = async () => {};
  const audit: AuditClient = { query, insert: nothing, command: nothing, ping: nothing, close: nothing };
  const ask = boundedAsk({ audit, log: silentLogger(), metrics, timeoutMs: 60_000 });
  return ask(identity, {});
}

const failing = (code: string, retryable: boolean) =>
  asking(async () => {
    throw new MandateError(code, 'clickhouse-7 said no to mandate_query', { remedy: '', retryable });
  });

test.each(['AUDIT_UNAVAILABLE', 'AUDIT_ACCESS_DENIED', 'AUDIT_DATABASE_MISSING'])(
  '%s is 503, with nothing of what ClickHouse said',
  async (code) => {
    const problem = await failing(code, true).catch((error: unknown) => error);
    expect(problem).toMatchObject({ status: 503, code: 'AUDIT_UNAVAILABLE' });
    expect(String(problem)).not.toContain('clickhouse-7');
  },
);

test('what asking again would not mend is thrown as it is', async () => {
  await expect(failing('AUDIT_ANSWER_UNEXPECTED', false)).rejects.toMatchObject({
    code: 'AUDIT_ANSWER_UNEXPECTED',
  });
});
