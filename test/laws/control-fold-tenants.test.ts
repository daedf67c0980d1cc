/** Tests tenants on the control topic: their quotas, their own topics, and what a closed tenant still allows. */
import { foldControl, type TenantControl } from '@mandate/control';
import { CAPS, controlRecord } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inTenants, KEY, ofOthers, QUOTAS } from './arbitrary-control-changes.ts';
import { folded, found } from './control-fold.fixture.ts';

test('in a closed tenant, the only accepted changes are to open the tenant again and to revoke a key', () => {
  const ofMore = ofOthers.filter(({ event }) => event !== 'role.revoked' && event !== 'key.revoked');
  fc.assert(
    fc.property(inTenants, ofMore, (records, later) => {
      const { fold } = folded(records);
      let revision = records.length;
      const put = (fields: object) => {
        revision += 1;
        const made = { ...later.change, id: `later-${revision}`, tenant: 'acme', expects: undefined };
        return fold.apply(controlRecord.parse({ ...fields, change: made }), revision);
      };
      const opening = { event: 'tenant.put', tenant: { version: 1, id: 'acme' } };
      put(opening);
      expect(put({ event: 'tenant.closed' }).ok).toBe(true);
      const closed = found({ fold, became: [] });
      const { opened } = fold.tenant('acme');
      expect(opened?.closedAt).toBe(later.change.at);
      expect(put(later)).toMatchObject({ ok: false, refusal: 'TENANT_CLOSED' });
      expect(put({ event: 'tenant.closed' })).toMatchObject({ ok: false, refusal: 'TENANT_CLOSED' });
      expect(found({ fold, became: [] })).toEqual(closed);
      expect(put(opening).ok).toBe(true);
      expect(put(later)).not.toMatchObject({ refusal: 'TENANT_CLOSED' });
    }),
    { numRuns: runs(100) },
  );
});

test('nothing can be added beyond the quotas of a tenant, and existing documents stay', () => {
  const refused = new Set<string>();
  const quotas = fc.record(Object.fromEntries(QUOTAS.map((what) => [what, fc.nat(1)])));
  const limited = fc.tuple(quotas, fc.uuid()).map(([quotas, id]) =>
    controlRecord.parse({
      event: 'tenant.put',
      tenant: { version: 1, id: 'acme', quotas },
      change: { id, tenant: 'acme', by: 'ann', reason: '', at: KEY.createdAt },
    }),
  );
  fc.assert(
    fc.property(inTenants, limited, inTenants, (before, limit, after) => {
      const fold = foldControl();
      for (const [at, record] of [...before, limit, ...after].entries()) {
        const control = fold.tenant(record.change.tenant);
        const { quotas } = control.opened?.document ?? {};
        const counts = countsOf(control);
        const changed = fold.apply(record, at + 1);
        const now = countsOf(fold.tenant(record.change.tenant));
        for (const what of QUOTAS)
          if (now[what] > counts[what]) expect(now[what]).toBeLessThanOrEqual(quotas?.[what] ?? now[what]);
        if (!changed.ok && changed.refusal === 'TOO_MANY') refused.add(record.event);
        if (record.event === 'tenant.put') expect(now).toEqual(counts);
      }
    }),
    { numRuns: runs(600) },
  );
  expect([...refused]).toEqual(expect.arrayContaining(['agent.put', 'policy.published', 'rule.put']));
});

function countsOf({
  agents,
  policies,
  rules,
  issued,
}: TenantControl): Record<(typeof QUOTAS)[number], number> {
  const alive = [...issued.byId.values()].filter(({ revokedAt }) => revokedAt === null);
  return { agents: agents.size, policies: policies.size, rules: rules.size, grants: alive.length };
}

test('the control state knows which tenants have or had their own topics', () => {
  fc.assert(
    fc.property(inTenants, (records) => {
      const fold = foldControl();
      const direct = new Set<string>();
      for (const [at, record] of records.entries()) {
        const changed = fold.apply(record, at + 1);
        const isOpened = record.event === 'tenant.put' && changed.ok && changed.revision === at + 1;
        if (isOpened && record.tenant.directTopic) direct.add(record.tenant.id);
        expect(fold.withTopics).toEqual(direct);
      }
    }),
    { numRuns: runs(200) },
  );
});

test('limits the number of opened tenants, and of tenants that have or had their own topics', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (id: string, directTopic: boolean) => {
    revision += 1;
    const change = { id: `chg-${revision}`, tenant: id, by: 'ann', reason: '', at: KEY.createdAt };
    const tenant = { version: 1, id, directTopic } as const;
    return fold.apply({ event: 'tenant.put', change, tenant }, revision);
  };
  for (let at = 0; at < CAPS.directTopics; at += 1) expect(put(`t${at}`, true).ok).toBe(true);
  expect(put('t0', false).ok).toBe(true);
  expect(put('more', true)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  expect(put('more', false).ok).toBe(true);
  expect(put('more', true)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  expect(put('t0', true).ok).toBe(true);
  for (let at = 0; fold.opened.size < CAPS.tenants; at += 1) put(`n${at}`, false);
  expect(put('one-more', false)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  expect([put('n1', false).ok, fold.opened.size]).toEqual([true, CAPS.tenants]);
});

test('a tenant at its quota does not prevent another tenant’s changes', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (tenant: string, fields: object) => {
    revision += 1;
    const made = { id: `chg-${revision}`, tenant, by: 'ann', reason: '', at: KEY.createdAt };
    return fold.apply(controlRecord.parse({ ...fields, change: made }), revision);
  };
  const agent = (id: string) => ({ event: 'agent.put', agent: { id } });
  put('acme', agent('a'));
  put('acme', { event: 'tenant.put', tenant: { version: 1, id: 'acme', quotas: { agents: 0 } } });
  expect(put('acme', agent('b'))).toMatchObject({ refusal: 'TOO_MANY' });
  expect([put('acme', agent('a')).ok, put('other', agent('b')).ok]).toEqual([true, true]);
  put('acme', { event: 'tenant.closed' });
  expect([put('acme', agent('a')).ok, put('other', agent('c')).ok]).toEqual([false, true]);
  expect(put('other', { event: 'tenant.closed' })).toMatchObject({ refusal: 'NOT_FOUND' });
  const ofAnother = { event: 'tenant.put', tenant: { version: 1, id: 'acme' } };
  expect(put('other', ofAnother)).toMatchObject({ refusal: 'ID_DIFFERS' });
});
