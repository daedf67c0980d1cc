/** Tests the sums over HTTP, which `mandate reconcile` compares with the ledger. */
import { recordDecisions } from '@mandate/audit';
import { TOPICS } from '@mandate/schemas';
import { buildReservation } from '@mandate/testing';
import { expect, test } from 'vitest';
import { decided, START_MS } from '../support/log-records.ts';
import type { Scene } from '../support/query-scene.ts';

export function sumsAnswer({ get, audit, keys: { operator, spender } }: Scene): void {
  test('returns sums for reconcile', async () => {
    const { body } = await get('/v1/audit/sums', {}, operator);
    const sum = body.agents.reduce((all: number, row: { spentMicros: number }) => all + row.spentMicros, 0);
    expect(sum).toBe(4_440_000);
    expect(body).toMatchObject({ doubled: [], keptFrom: null, next: null });
    const first = await get('/v1/audit/sums', { limit: '3' }, operator);
    const rest = await get('/v1/audit/sums', { limit: '3', cursor: first.body.next }, operator);
    expect([...first.body.agents, ...rest.body.agents]).toEqual(body.agents);
    expect((await get('/v1/audit/sums/budgets', {}, operator)).body).toEqual({ budgets: [], next: null });
  });

  test('returns sums of budgets in pages, with and without a window', async () => {
    const held = { kind: 'budget', maxMicros: null } as const;
    const budgets = [
      { ...held, scope: 'agent', subject: 'gavin', id: 'daily', windowMs: 86_400_000 },
      { ...held, scope: 'agent', subject: 'gavin', id: 'total', windowMs: null },
      { ...held, scope: 'agent', subject: 'gavin', id: 'total', windowMs: 3_600_000 },
      { ...held, scope: 'tenant', subject: '', id: 'total', windowMs: null },
    ] as const;
    const reservation = buildReservation(100_000, { budgets: [...budgets] });
    const record = decided(500, { tenant: 'hooli', agentId: 'gavin', reservation });
    await recordDecisions(audit(), [
      {
        record: record.decision,
        value: Buffer.from(JSON.stringify(record)),
        position: { topic: TOPICS.decisions, partition: 0, offset: 500 },
        void: false,
        recordedAtMs: START_MS,
        traceId: null,
      },
    ]);
    const page = (query: Record<string, string>) => get('/v1/audit/sums/budgets', query, spender);
    const whole = (await page({})).body;
    expect(whole.budgets).toMatchObject(
      budgets.map(({ scope, subject, id, windowMs }) => ({
        scope,
        subject,
        budgetId: id,
        windowMs,
        spent: '$0.10',
      })),
    );
    const seen = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await page({ limit: '1', ...(cursor === '' ? {} : { cursor }) });
      expect([status, body.budgets?.length <= 1]).toEqual([200, true]);
      seen.push(...body.budgets);
      cursor = body.next;
    }
    expect(seen).toEqual(whole.budgets);
    const keptFrom = (atMs: number) => page({ keptFrom: new Date(atMs).toISOString() });
    expect((await keptFrom(START_MS + 500)).body).toEqual(whole);
    expect((await keptFrom(START_MS + 501)).body.budgets).toEqual([]);
  });
}
