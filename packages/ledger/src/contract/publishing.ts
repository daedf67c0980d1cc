import { expect, test } from 'vitest';
import { allow, begin, type MakeLedger, send } from './bench.ts';
import { AGENT, budget, newSource, planOf, refusal, settleRequest, stepRequest, TENANT } from './builders.ts';

const TOTAL = { scope: 'agent', subject: AGENT, id: 'total', windowMs: null };

export function publishing(make: MakeLedger): void {
  test('lists the operations that are not on the log yet, and the counters that they changed', async () => {
    const { ledger, clock } = await begin(make);
    const windowed = { ...TOTAL, id: 'w', windowMs: 100 };
    const request = stepRequest({ plan: planOf({ limits: [budget({ id: 'w', windowMs: 100 })] }) });
    const free = stepRequest({ plan: planOf({ reserveMicros: 0 }) });
    const blocked = stepRequest({ plan: planOf({ refusal: refusal() }) });
    const outcome = settleRequest(request, { actualMicros: 70 });
    await ledger.step([request, free, blocked, settleRequest(free), outcome]);
    const charge = { tenant: TENANT, agentId: AGENT, source: request.source, delta: 100 };
    const release = { ...charge, source: outcome.source, delta: -30 };
    expect(await ledger.unpublished(TENANT)).toEqual([
      { ...charge, budgets: [windowed, TOTAL] },
      { ...release, budgets: [windowed, TOTAL] },
    ]);
    clock.advance(100);
    await ledger.confirm(ledger.epoch, [request]);
    expect(await ledger.unpublished(TENANT)).toEqual([{ ...release, budgets: [TOTAL] }]);
    await ledger.confirm(ledger.epoch, [free, blocked, outcome]);
    expect(await ledger.unpublished(TENANT)).toEqual([]);
    expect(await ledger.unpublished('other')).toEqual([]);
  });

  test('refuses a confirmation under another epoch', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    const changed = expect.objectContaining({ code: 'LEDGER_EPOCH_CHANGED' });
    await expect(ledger.confirm('an-older-epoch', [request])).rejects.toEqual(changed);
    expect(await ledger.unpublished(TENANT)).toHaveLength(1);
  });

  test('accepts a repeated confirmation, and the confirmation of an unknown operation', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    const unseen = { tenant: TENANT, agentId: AGENT, source: newSource() };
    await ledger.confirm(ledger.epoch, [unseen, request]);
    await ledger.confirm(ledger.epoch, [request]);
    expect(await send(ledger, request)).toEqual({ kind: 'published' });
    expect(await send(ledger, stepRequest({ source: unseen.source }))).toMatchObject({ kind: 'decided' });
  });

  test('lists open actions, oldest first: allowed, without an outcome, and within their lease or not on the log yet', async () => {
    const { ledger, clock } = await begin(make);
    const plan = planOf({ leaseMs: 1_000 });
    const first = await allow(ledger, stepRequest({ plan }));
    clock.advance(500);
    const second = await allow(
      ledger,
      stepRequest({ agentId: 'other', plan, tool: 'send:mail', digest: 'of-mail' }),
    );
    const third = await allow(ledger, stepRequest({ plan }));
    await ledger.step([stepRequest({ plan: planOf({ refusal: refusal() }) })]);
    const ids = async (agentId?: string) =>
      (await ledger.open(TENANT, agentId)).map(({ actionId }) => actionId);
    expect(await ids()).toEqual([first, second, third].map(({ actionId }) => actionId));
    expect(await ids(AGENT)).toEqual([first, third].map(({ actionId }) => actionId));
    expect((await ledger.open(TENANT, 'other'))[0]).toEqual({
      tenant: TENANT,
      agentId: 'other',
      actionId: second.actionId,
      attempt: 1,
      ...{ type: 'tool_call', tool: 'send:mail', digest: 'of-mail', sequence: 2 },
      reservedMicros: 100,
      decidedAtMs: clock(),
      leaseExpiresAtMs: clock() + 1_000,
    });
    clock.advance(500);
    await ledger.step([settleRequest(third)]);
    expect(await ids()).toEqual([first, second, third].map(({ actionId }) => actionId));
    await ledger.confirm(ledger.epoch, [first, second, third]);
    expect(await ids()).toEqual([second.actionId]);
    expect(await ledger.open('nobody')).toEqual([]);
  });

  test('lists the tenants with at least one event, by name', async () => {
    const { ledger } = await begin(make);
    await ledger.balances('asked-only');
    await ledger.step([stepRequest({ tenant: 'b', plan: planOf({ holdsUntilMs: 0 }) })]);
    expect(await ledger.tenants()).toEqual([]);
    await ledger.step([stepRequest({ tenant: 'b' }), stepRequest({ tenant: 'a' })]);
    await ledger.kill({ scope: 'agent', tenant: 'c', agentId: AGENT }, { id: 'k', by: 'op', reason: 'r' });
    expect(await ledger.tenants()).toEqual(['a', 'b', 'c']);
  });
}
