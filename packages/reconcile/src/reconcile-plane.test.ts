import { join } from 'node:path';
import type { AuditClient } from '@mandate/audit';
import { createSqliteBus } from '@mandate/bus';
import type { ApiClient } from '@mandate/client';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { reconcilePlane } from './reconcile-plane.ts';
import { auditSource } from './reconcile-sources.ts';

const sumOf = (subject: string, spentMicros: number) => ({
  scope: 'agent',
  subject,
  budgetId: 'total',
  windowMs: null,
  spentMicros,
});

test('compares the sums of a plane on every page', async () => {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  const epoch = { id: 'ep', generation: 1, previous: null, reason: 'test', at: '2026-01-01T00:00:00Z' };
  const value = JSON.stringify({ event: 'ledger.epoch', epoch });
  await bus.append(TOPICS.decisions, [{ key: null, partition: 0, value }]);
  const answers: Record<string, unknown> = {
    '/v1/ledger/balances': { tenant: 'acme', epoch: 'ep', balances: [] },
    '/v1/audit/sums': { doubled: [], keptFrom: '2026-02-01T00:00:00.000Z' },
    '/v1/audit/sums/budgets': { budgets: [sumOf('ann', 1)], next: 'behind-ann' },
    '/v1/audit/sums/rows': { rows: [], next: null },
    '/v1/audit/sums/budgets behind-ann': { budgets: [sumOf('bob', 20)], next: null },
  };
  const api = {
    get: async (path: string, query: { cursor?: string; keptFrom?: string } = {}) => {
      if (path === '/v1/audit/sums/budgets') expect(query.keptFrom).toBe('2026-02-01T00:00:00.000Z');
      return answers[query.cursor === undefined ? path : `${path} ${query.cursor}`];
    },
  } as unknown as ApiClient;
  expect(await reconcilePlane(bus, api)).toMatchObject({ driftMicros: 21 });
});

test('reads the sums of tables page after page', async () => {
  const subjects = Array.from({ length: 10_003 }, (_, n) => `agent-${String(n).padStart(5, '0')}`);
  const audit = {
    query: async (_sql: string, { afterSubject = '', limit }: { afterSubject?: string; limit: number }) =>
      subjects
        .filter((subject) => subject > afterSubject)
        .slice(0, limit)
        .map((subject) => sumOf(subject, 1)),
  } as unknown as AuditClient;
  expect(await auditSource(audit).balances('acme', null)).toHaveLength(subjects.length);
});
