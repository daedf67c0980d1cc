/** The control topic: whatever is written to it in whatever order, every reader finds the same, and of two writers one wins. */

import { foldControl, type TenantControl } from '@mandate/control';
import { CAPS, type ControlRecord, controlRecord, ROLES } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changes, inTenants, KEY, KEYS, LIMITS, ofOthers, RULES } from './arbitrary-control-changes.ts';

function folded(records: readonly ControlRecord[]) {
  const fold = foldControl();
  const became = records.map((record, at) => fold.apply(record, at + 1));
  return { fold, became };
}

/** Everything that a reader can find. */
function found({ fold }: ReturnType<typeof folded>): unknown {
  const tenants = ['acme', 'other'].map((name) => structuredClone({ ...fold.tenant(name) }));
  return { tenants, opened: structuredClone(fold.opened), withTopics: fold.withTopics };
}

test('what is refused changes nothing, and nobody: without it every reader finds the same', () => {
  fc.assert(
    fc.property(inTenants, (records) => {
      const all = folded(records);
      const fold = foldControl();
      for (const [at, record] of records.entries()) if (all.became[at]?.ok) fold.apply(record, at + 1);
      expect(found({ fold, became: [] })).toEqual(found(all));
    }),
    { numRuns: runs(500) },
  );
});

test('a change that lies on the log twice is made once, and told again', () => {
  fc.assert(
    fc.property(inTenants, fc.infiniteStream(fc.nat()), (records, drawn) => {
      const once = folded(records);
      const twice = records.flatMap((record, at) => {
        const again = records[drawn.next().value % (at + 1)] ?? record;
        return [record, again];
      });
      const fold = foldControl();
      const became = twice.map((record, at) => fold.apply(record, Math.floor(at / 2) + 1));
      expect(found({ fold, became: [] })).toEqual(found(once));
      for (const [at, record] of twice.entries()) {
        const first = twice.findIndex(({ change: { id } }) => id === record.change.id);
        expect(became[at]).toEqual(became[first]);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('another change under an id that is known is refused, and not taken for the first', () => {
  const { fold } = folded([publish('p', 1)]);
  const { change } = publish('p', 1);
  const other = controlRecord.parse({
    event: 'rule.put',
    change,
    rule: { version: 1, id: 'r', policy: 'p' },
  });
  expect(fold.apply(other, 2)).toEqual({ ok: false, refusal: 'ID_REUSED', revision: 0 });
  expect(fold.tenant('acme').rules.size).toBe(0);
});

test('a chain of agents ends somewhere', () => {
  const fold = foldControl();
  const put = (id: number, parent?: number) => {
    const change = { id: `chg-${id}`, tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
    const agent = { id: `a${id}`, ...(parent !== undefined && { parent: `a${parent}` }) };
    return fold.apply(controlRecord.parse({ event: 'agent.put', change, agent }), id + 1);
  };
  put(0);
  const became = Array.from({ length: 40 }, (_, at) => put(at + 1, at));
  expect(became.findIndex(({ ok }) => !ok)).toBe(CAPS.parents);
  expect(became[CAPS.parents]).toMatchObject({ refusal: 'PARENT_TOO_DEEP' });
});

test('and a chain that is put below another ends there too', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (id: string, parent?: string) => {
    revision += 1;
    const change = {
      id: `chg-${revision}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
    };
    const agent = { id, ...(parent !== undefined && { parent }) };
    return fold.apply(controlRecord.parse({ event: 'agent.put', change, agent }), revision);
  };
  for (const chain of ['a', 'b'])
    for (let at = 0; at < 20; at += 1) put(`${chain}${at}`, at === 0 ? undefined : `${chain}${at - 1}`);
  // 13 stand above b0 then, 32 above b19.
  expect(put('b0', 'a12')).toMatchObject({ ok: true });
  expect(put('b0', 'a12')).toMatchObject({ ok: true });
  expect(put('b0', 'a13')).toMatchObject({ refusal: 'PARENT_TOO_DEEP' });
  expect(put('b20', 'b19')).toMatchObject({ refusal: 'PARENT_TOO_DEEP' });
});

test('one tenant is as if there were no other', () => {
  fc.assert(
    fc.property(inTenants, (records) => {
      const alone = foldControl();
      for (const [at, record] of records.entries())
        if (record.change.tenant === 'acme') alone.apply(record, at + 1);
      expect(alone.tenant('acme')).toEqual(folded(records).fold.tenant('acme'));
    }),
    { numRuns: runs(200) },
  );
});

test('of changes that expect one and the same revision one takes effect, and the others are told which there is', () => {
  fc.assert(
    fc.property(changes, fc.integer({ min: 2, max: 5 }), (records, writers) => {
      const { fold } = folded(records);
      const revision = fold.tenant('acme').policies.get('p')?.revision ?? 0;
      const at = records.length + 1;
      const became = Array.from({ length: writers }, (_, number) =>
        fold.apply(publish('p', number, revision), at + number),
      );
      expect(became).toEqual([
        { ok: true, revision: at },
        ...became.slice(1).map(() => ({ ok: false, refusal: 'REVISION_CONFLICT', revision: at })),
      ]);
      const { versions = [] } = fold.tenant('acme').policies.get('p') ?? {};
      expect(versions.at(-1)).toMatchObject({ revision: at, document: { maxCostTotal: 0 } });
    }),
    { numRuns: runs(200) },
  );
});

function publish(id: string, maxCostTotal: number, expected?: number): ControlRecord {
  return controlRecord.parse({
    event: 'policy.published',
    change: {
      id: `chg-${maxCostTotal}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
      ...(expected !== undefined && { expects: expected }),
    },
    policy: { version: 1, id, maxCostTotal },
  });
}

test('versions of a policy are never changed, and none is ever lost', () => {
  fc.assert(
    fc.property(changes, changes, (before, after) => {
      const { fold } = folded(before);
      const versions = structuredClone(fold.tenant('acme').policies.get('p')?.versions ?? []);
      for (const [at, record] of after.entries()) fold.apply(record, before.length + at + 1);
      expect(fold.tenant('acme').policies.get('p')?.versions.slice(0, versions.length) ?? []).toEqual(
        versions,
      );
    }),
    { numRuns: runs(300) },
  );
});

test('no agent is above itself, and whoever has a parent had one that was registered', () => {
  fc.assert(
    fc.property(changes, (records) => {
      const { agents } = folded(records).fold.tenant('acme');
      for (const id of agents.keys()) {
        const above = new Set<string>();
        for (let one: string | undefined = id; one !== undefined; one = agents.get(one)?.document.parent) {
          expect(above.has(one), `${id} is above itself`).toBe(false);
          above.add(one);
        }
        expect(above.has('nobody')).toBe(false);
      }
    }),
    { numRuns: runs(500) },
  );
});

test('a policy that a rule uses is archived by force alone', () => {
  // Drawn among all changes, the three seldom meet.
  const named = controlRecord.parse({
    event: 'rule.put',
    change: { ...publish('p', 8).change, id: 'chg-named' },
    rule: { version: 1, id: 'named', policy: 'p' },
  });
  const more = fc.subarray([publish('p', 9), named]);
  const met = { refused: 0, forced: 0 };
  fc.assert(
    fc.property(changes, more, fc.boolean(), (drawn, added, forced) => {
      const records = [...drawn, ...added];
      const { fold } = folded(records);
      const { policies, rules } = fold.tenant('acme');
      const isThere = policies.has('p');
      const isUsed = [...rules.values()].some(({ document }) => document.policy === 'p');
      const { change } = publish('p', 0);
      const archived = controlRecord.parse({ event: 'policy.archived', change, policyId: 'p', forced });
      const became = fold.apply(archived, records.length + 1);
      if (isThere && isUsed) met[forced ? 'forced' : 'refused'] += 1;
      if (!isThere) expect(became).toMatchObject({ refusal: 'NOT_FOUND' });
      else if (isUsed && !forced) expect(became).toMatchObject({ refusal: 'POLICY_IN_USE' });
      else expect(fold.tenant('acme').policies.get('p')?.isArchived).toBe(true);
    }),
    { numRuns: runs(300) },
  );
  expect(Math.min(met.refused, met.forced)).toBeGreaterThan(hits(10));
});

test('another order names every rule once', () => {
  fc.assert(
    fc.property(changes, fc.shuffledSubarray([...RULES, 'gone', 'r']), (records, ruleIds) => {
      const { fold } = folded(records);
      const there = [...fold.tenant('acme').rules.keys()];
      const isWhole = ruleIds.toSorted().join() === there.toSorted().join();
      const { change } = publish('p', 0);
      const reordered = controlRecord.parse({ event: 'rules.reordered', change, ruleIds });
      expect(fold.apply(reordered, records.length + 1).ok).toBe(isWhole);
      if (!isWhole) return;
      const inOrder = [...fold.tenant('acme').rules].toSorted(
        ([, one], [, other]) => one.document.priority - other.document.priority,
      );
      expect(inOrder.map(([id]) => id)).toEqual(ruleIds);
    }),
    { numRuns: runs(300) },
  );
});

test('a key lets in for as long as its agent is registered, and belongs to that alone', () => {
  fc.assert(
    fc.property(changes, (records) => {
      const { fold } = folded(records);
      const { agents, keys, roleKeys } = fold.tenant('acme');
      const ended = fold.state.tenants.get('acme')?.control.endedKeys;
      expect(fold.tenant('acme').units).toBe(unitsIn(fold.tenant('acme')));
      expect(fold.tenant('other').keys.size).toBe(0);
      for (const id of KEYS) {
        const kept = keys.get(id)?.document;
        const granted = roleKeys.get(id)?.document;
        const was = ended?.get(id)?.document;
        expect(fold.key(id)).toEqual((kept ?? granted ?? was)?.key);
        expect(was?.key.revokedAt).not.toBe(null);
        expect(kept !== undefined && granted !== undefined).toBe(false);
        if (kept === undefined) continue;
        expect(agents.has(kept.agentId)).toBe(true);
        expect(kept.key).toMatchObject({
          ...{ tenant: 'acme', agents: [kept.agentId] },
          ...{ scopes: ['publish'], revokedAt: null },
        });
      }
    }),
  );
});

test('a key of a role does what that role may, in its tenant, and nothing else', () => {
  fc.assert(
    fc.property(changes, (records) => {
      const { fold } = folded(records);
      expect(fold.tenant('other').roleKeys.size).toBe(0);
      for (const { document } of fold.tenant('acme').roleKeys.values()) {
        const scopes = ROLES[document.role];
        expect(document.key).toMatchObject({ tenant: 'acme', scopes, agents: ['*'], revokedAt: null });
      }
    }),
    { numRuns: runs(300) },
  );
});

test('however admins revoke each other, one is left: nobody revokes their own key, nor does anything with one that is revoked', () => {
  const admins = ['a', 'b', 'c'].map((one) => one.repeat(12));
  const revoking = fc.array(fc.tuple(fc.constantFrom(...admins), fc.constantFrom(...admins)));
  fc.assert(
    fc.property(revoking, (asked) => {
      const { fold, put, grant } = writer();
      for (const id of admins) expect(grant({ id }).ok).toBe(true);
      for (const [byKey, keyId] of asked) {
        const { roleKeys } = fold.tenant('acme');
        const [isAdmin, isThere] = [roleKeys.has(byKey), roleKeys.has(keyId)];
        const refusal = !isAdmin ? 'ADMIN_REVOKED' : byKey === keyId ? 'OWN_KEY' : 'NOT_FOUND';
        const became = put({ event: 'role.revoked', keyId, byKey });
        expect(became).toMatchObject(
          isAdmin && isThere && byKey !== keyId ? { ok: true } : { ok: false, refusal },
        );
        expect(grant({ id: 'd'.repeat(12), byKey }).ok).toBe(isAdmin);
        put({ event: 'role.revoked', keyId: 'd'.repeat(12) });
      }
      expect(fold.tenant('acme').roleKeys.size).toBeGreaterThan(0);
    }),
    { numRuns: runs(100) },
  );
});

/** Changes of one tenant, one after the other. */
function writer() {
  const fold = foldControl();
  let revision = 0;
  const put = (fields: object) => {
    revision += 1;
    const made = { id: `chg-${revision}`, tenant: 'acme', by: 'ann', reason: '', at: KEY.createdAt };
    return fold.apply(controlRecord.parse({ ...fields, change: made }), revision);
  };
  const issue = (fields: object = {}) => {
    const key = { ...KEY, id: 'kkkkkkkkkkk1', agents: ['a'], scopes: ['publish'], ...fields };
    return put({ event: 'key.issued', agentId: 'a', key });
  };
  /** To an admin, where it is not said otherwise. */
  const grant = ({ role = 'admin', byKey, ...fields }: Record<string, unknown> = {}) => {
    const key = { ...KEY, id: 'kkkkkkkkkkk2', agents: ['*'], scopes: ROLES.admin, ...fields };
    return put({ event: 'role.granted', role, key, byKey });
  };
  put({ event: 'agent.put', agent: { id: 'a' } });
  return { fold, put, issue, grant };
}

test.each([
  ['of another tenant', { tenant: 'other' }],
  ['of some agents', { agents: ['a'] }],
  ['that is revoked', { revokedAt: KEY.createdAt }],
  ['that may do more than its role', { scopes: [...ROLES.admin, 'operate:all'] }],
  ['that may do less', { scopes: ['audit'] }],
  ['that may do what another role may', { role: 'viewer' }],
  ['of the id of an agent’s', { id: 'kkkkkkkkkkk1' }],
  ['that an operator issued', { byKey: 'ooooooooooo1' }],
  ['that nobody who is there issued', { byKey: 'nnnnnnnnnnn1' }],
])('a key of a role %s is not taken', (_, fields) => {
  const { fold, issue, grant } = writer();
  expect(issue().ok).toBe(true);
  expect(grant({ role: 'operator', scopes: ROLES.operator, id: 'ooooooooooo1' }).ok).toBe(true);
  const refusal = 'byKey' in fields ? 'ADMIN_REVOKED' : 'KEY_UNFIT';
  expect(grant(fields)).toMatchObject({ ok: false, refusal });
  expect(fold.key('kkkkkkkkkkk2')).toBeUndefined();
  expect(fold.key('kkkkkkkkkkk1')?.scopes).toEqual(['publish']);
});

test('an id of a key of a role is not taken for an agent, nor again', () => {
  const { grant, issue } = writer();
  expect(grant().ok).toBe(true);
  expect(grant()).toMatchObject({ ok: false, refusal: 'KEY_UNFIT' });
  expect(issue({ id: 'kkkkkkkkkkk2' })).toMatchObject({ ok: false, refusal: 'KEY_UNFIT' });
});

test('a tenant has so many keys of people and no more, and room again where one is revoked', () => {
  const { put, grant } = writer();
  const numbered = (at: number) => grant({ id: `k${String(at).padStart(11, '0')}` });
  for (let at = 0; at < CAPS.roleKeys; at += 1) expect(numbered(at).ok).toBe(true);
  expect(numbered(CAPS.roleKeys)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  put({ event: 'role.revoked', keyId: `k${'0'.repeat(11)}` });
  expect(numbered(CAPS.roleKeys).ok).toBe(true);
});

test.each([
  ['of another agent', { agents: ['b'] }],
  ['of several agents', { agents: ['a', 'b'] }],
  ['of another tenant', { tenant: 'other' }],
  ['that is revoked', { revokedAt: KEY.createdAt }],
  ['that may do more than publish', { scopes: ['publish', 'operate:all'] }],
  ['that may do something else', { scopes: ['author'] }],
  ['that only reports', { scopes: ['report'] }],
  ['that may release', { scopes: ['publish', 'report', 'release'] }],
])('a key %s is not taken', (_, fields) => {
  const { fold, issue } = writer();
  expect(issue(fields)).toMatchObject({ ok: false, refusal: 'KEY_UNFIT' });
  expect(fold.key('kkkkkkkkkkk1')).toBeUndefined();
});

test.each([[['publish', 'report']], [['publish']]])('an agent has a key with %j', (scopes) => {
  expect(writer().issue({ scopes })).toMatchObject({ ok: true });
});

test('keys end with the registration of their agent, and do not come back with it', () => {
  const { fold, put, issue } = writer();
  expect(issue().ok).toBe(true);
  expect(fold.key('kkkkkkkkkkk1')?.revokedAt).toBe(null);
  put({ event: 'agent.retired', agentId: 'a' });
  put({ event: 'agent.put', agent: { id: 'a' } });
  expect(fold.key('kkkkkkkkkkk1')).toMatchObject({ tenant: 'acme', revokedAt: KEY.createdAt });
});

test('of the last keys that ended it is known whose they were, and of none before', () => {
  const { fold, put, issue, grant } = writer();
  const numbered = (at: number) => `k${String(at).padStart(11, '0')}`;
  const end = (at: number) => {
    expect(issue({ id: numbered(at) }).ok).toBe(true);
    expect(put({ event: 'key.revoked', agentId: 'a', keyId: numbered(at) }).ok).toBe(true);
  };
  const isKnown = (at: number) => fold.key(numbered(at)) !== undefined;
  for (const at of [0, 1]) end(at);
  const written = {
    ...{ event: 'key.issued', agentId: 'a' },
    key: { ...KEY, id: numbered(2), agents: ['a'], scopes: ['publish'] },
    change: { id: 'written', tenant: 'acme', by: 'ann', reason: '', at: KEY.createdAt },
  };
  const again = () => fold.apply(controlRecord.parse(written), 100);
  expect(again().ok).toBe(true);
  expect(put({ event: 'key.revoked', agentId: 'a', keyId: numbered(2) }).ok).toBe(true);
  end(3);
  // Again in use, and the one that ended last.
  expect(issue({ id: numbered(0) }).ok).toBe(true);
  expect(issue({ id: numbered(1) }).ok).toBe(true);
  put({ event: 'key.revoked', agentId: 'a', keyId: numbered(1) });
  const endedKeys = fold.state.tenants.get('acme')?.control.endedKeys ?? new Map();
  // As if so many had ended one by one, which takes seconds.
  const [first] = endedKeys.values();
  while (endedKeys.size < CAPS.endedKeys) endedKeys.set(`b${endedKeys.size}`, first);
  end(4);
  expect(endedKeys.has(numbered(0))).toBe(false);
  expect([0, 1, 2, 3, 4].map(isKnown)).toEqual([true, true, true, true, true]);
  expect(grant({ id: 'rrrrrrrrrrr1' }).ok).toBe(true);
  expect(put({ event: 'role.revoked', keyId: 'rrrrrrrrrrr1' }).ok).toBe(true);
  put({ event: 'agent.retired', agentId: 'a' });
  expect([0, 1, 2, 3, 4].map(isKnown)).toEqual([true, true, false, false, true]);
  // What became of it is known for longer than the key.
  expect(again()).toEqual({ ok: true, revision: 100 });
  expect(fold.key('rrrrrrrrrrr1')).toMatchObject({ tenant: 'acme', revokedAt: KEY.createdAt });
  expect([...fold.state.tenantOfKey.keys()].sort()).toEqual(
    [numbered(0), numbered(1), numbered(4), 'rrrrrrrrrrr1'].sort(),
  );
  expect(endedKeys.size).toBe(CAPS.endedKeys);
});

test('an agent has so many keys and no more, and room again where one is revoked', () => {
  const { put, issue } = writer();
  const numbered = (at: number) => issue({ id: `k${String(at).padStart(11, '0')}` });
  for (let at = 0; at < CAPS.keysPerAgent; at += 1) expect(numbered(at).ok).toBe(true);
  expect(numbered(CAPS.keysPerAgent)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  put({ event: 'key.revoked', agentId: 'a', keyId: `k${'0'.repeat(11)}` });
  expect(numbered(CAPS.keysPerAgent).ok).toBe(true);
});

test('a tenant holds so much and no more, and room again where something is removed', () => {
  const { fold, put } = writer();
  const labels = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`l${at}`, 'x'.repeat(60_000)]));
  const most = Math.floor(CAPS.controlUnits / 1_200_000);
  const large = (at: number) => put({ event: 'agent.put', agent: { id: `large-${at}`, labels } });
  for (let at = 0; at < most; at += 1) expect(large(at).ok).toBe(true);
  expect(large(most)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  expect(fold.tenant('acme').units).toBe(unitsIn(fold.tenant('acme')));
  expect(large(0).ok).toBe(true);
  put({ event: 'agent.retired', agentId: 'large-1' });
  expect(large(most).ok).toBe(true);
});

test('of names that nothing stands under any more nothing is kept', () => {
  const { fold, put } = writer();
  for (let at = 0; at < 3; at += 1) {
    put({ event: 'agent.put', agent: { id: `lead-${at}` } });
    put({ event: 'agent.put', agent: { id: 'bot', parent: `lead-${at}` } });
    put({ event: 'rule.put', rule: { version: 1, id: 'r', policy: `p-${at}` } });
  }
  const { rulesOf, childrenOf } = fold.tenant('acme') as unknown as Record<string, Map<string, unknown>>;
  expect([[...(rulesOf?.keys() ?? [])], [...(childrenOf?.keys() ?? [])]]).toEqual([['p-2'], ['lead-2']]);
});

test('of the last who were retired it is known, and of none who is registered', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (
    body: { event: 'agent.put'; agent: { id: string } } | { event: 'agent.retired'; agentId: string },
  ) => {
    revision += 1;
    const change = {
      id: `c${revision}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
    };
    fold.apply({ change, ...body } as ControlRecord, revision);
  };
  const retire = (id: string) => {
    put({ event: 'agent.put', agent: { id } });
    put({ event: 'agent.retired', agentId: id });
  };
  retire('a0');
  retire('a1');
  const { retired, units } = fold.tenant('acme');
  // As if so many had been retired one by one, which takes seconds.
  const [first] = retired.values();
  const filled = retired as Map<string, typeof first>;
  while (filled.size < CAPS.retiredAgents) filled.set(`b${filled.size}`, first);
  retire('last');
  expect([retired.size, retired.has('a0'), retired.has('a1'), units]).toEqual([
    CAPS.retiredAgents,
    false,
    true,
    0,
  ]);
  put({ event: 'agent.put', agent: { id: 'a1' } });
  expect(retired.has('a1')).toBe(false);
});

test('where a tenant was closed, nothing is changed but by opening it again; a key may still end', () => {
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

test('nothing is added beyond the limits of a tenant; what is there already stays', () => {
  const refused = new Set<string>();
  const limits = fc.record(Object.fromEntries(LIMITS.map((what) => [what, fc.nat(1)])));
  const limited = fc.tuple(limits, fc.uuid()).map(([limits, id]) =>
    controlRecord.parse({
      event: 'tenant.put',
      tenant: { version: 1, id: 'acme', limits },
      change: { id, tenant: 'acme', by: 'ann', reason: '', at: KEY.createdAt },
    }),
  );
  fc.assert(
    fc.property(inTenants, limited, inTenants, (before, limit, after) => {
      const fold = foldControl();
      for (const [at, record] of [...before, limit, ...after].entries()) {
        const control = fold.tenant(record.change.tenant);
        const { limits } = control.opened?.document ?? {};
        const counts = countsOf(control);
        const changed = fold.apply(record, at + 1);
        const now = countsOf(fold.tenant(record.change.tenant));
        for (const what of LIMITS)
          if (now[what] > counts[what]) expect(now[what]).toBeLessThanOrEqual(limits?.[what] ?? now[what]);
        if (!changed.ok && changed.refusal === 'TOO_MANY') refused.add(record.event);
        if (record.event === 'tenant.put') expect(now).toEqual(counts);
      }
    }),
    { numRuns: runs(300) },
  );
  expect([...refused]).toEqual(expect.arrayContaining(['agent.put', 'policy.published', 'rule.put']));
});

function countsOf({
  agents,
  policies,
  rules,
  issued,
}: TenantControl): Record<(typeof LIMITS)[number], number> {
  const alive = [...issued.byId.values()].filter(({ revokedAt }) => revokedAt === null);
  return { agents: agents.size, policies: policies.size, rules: rules.size, issuedMandates: alive.length };
}

test('which tenants have topics of their own, or had, is told', () => {
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

test('so many tenants are opened, so many have topics of their own, those that no longer have one among them, and no more', () => {
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

test('a tenant at its limit keeps no other from changing', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (tenant: string, fields: object) => {
    revision += 1;
    const made = { id: `chg-${revision}`, tenant, by: 'ann', reason: '', at: KEY.createdAt };
    return fold.apply(controlRecord.parse({ ...fields, change: made }), revision);
  };
  const agent = (id: string) => ({ event: 'agent.put', agent: { id } });
  put('acme', agent('a'));
  put('acme', { event: 'tenant.put', tenant: { version: 1, id: 'acme', limits: { agents: 0 } } });
  expect(put('acme', agent('b'))).toMatchObject({ refusal: 'TOO_MANY' });
  expect([put('acme', agent('a')).ok, put('other', agent('b')).ok]).toEqual([true, true]);
  put('acme', { event: 'tenant.closed' });
  expect([put('acme', agent('a')).ok, put('other', agent('c')).ok]).toEqual([false, true]);
  expect(put('other', { event: 'tenant.closed' })).toMatchObject({ refusal: 'NOT_FOUND' });
  const ofAnother = { event: 'tenant.put', tenant: { version: 1, id: 'acme' } };
  expect(put('other', ofAnother)).toMatchObject({ refusal: 'ID_DIFFERS' });
});

test('in a tenant that was closed a key of a role is revoked, and none is issued', () => {
  const { fold, put, grant } = writer();
  put({ event: 'tenant.put', tenant: { version: 1, id: 'acme' } });
  expect(grant().ok).toBe(true);
  put({ event: 'tenant.closed' });
  expect(grant({ id: 'kkkkkkkkkkk3' })).toMatchObject({ ok: false, refusal: 'TENANT_CLOSED' });
  expect(put({ event: 'role.revoked', keyId: 'kkkkkkkkkkk2' }).ok).toBe(true);
  expect(fold.key('kkkkkkkkkkk2')?.revokedAt).toBe(KEY.createdAt);
});

function unitsIn({ agents, policies, rules }: TenantControl): number {
  const versions = [...policies.values()].flatMap((history) => history.versions);
  const kept = [...agents.values(), ...rules.values(), ...versions];
  return kept.reduce((sum, { document }) => sum + JSON.stringify(document).length, 0);
}
