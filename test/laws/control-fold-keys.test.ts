/** Tests API keys on the control topic: which keys are accepted, what they may do, and when they end. */
import { CAPS, controlRecord, ROLES } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changes, KEY, KEYS } from './arbitrary-control-changes.ts';
import { folded, unitsIn, writer } from './control-fold.fixture.ts';

test('a key works while its agent is registered, and belongs to that agent only', () => {
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

test('a key of a role may do exactly what the role may, in its tenant', () => {
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

test('however admins revoke each other, one admin is left: no admin can revoke their own key, and a revoked key does nothing', () => {
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

test.each([
  ['of another tenant', { tenant: 'other' }],
  ['of some agents', { agents: ['a'] }],
  ['that is revoked', { revokedAt: KEY.createdAt }],
  ['that may do more than its role', { scopes: [...ROLES.admin, 'operate:all'] }],
  ['that may do less', { scopes: ['audit'] }],
  ['that may do what another role may', { role: 'viewer' }],
  ['with the id of an agent’s key', { id: 'kkkkkkkkkkk1' }],
  ['that an operator issued', { byKey: 'ooooooooooo1' }],
  ['that an unknown key issued', { byKey: 'nnnnnnnnnnn1' }],
])('refuses a role key %s', (_, fields) => {
  const { fold, issue, grant } = writer();
  expect(issue().ok).toBe(true);
  expect(grant({ role: 'operator', scopes: ROLES.operator, id: 'ooooooooooo1' }).ok).toBe(true);
  const refusal = 'byKey' in fields ? 'ADMIN_REVOKED' : 'KEY_UNFIT';
  expect(grant(fields)).toMatchObject({ ok: false, refusal });
  expect(fold.key('kkkkkkkkkkk2')).toBeUndefined();
  expect(fold.key('kkkkkkkkkkk1')?.scopes).toEqual(['publish']);
});

test('refuses an agent’s key and a second role key if a role key already has the id', () => {
  const { grant, issue } = writer();
  expect(grant().ok).toBe(true);
  expect(grant()).toMatchObject({ ok: false, refusal: 'KEY_UNFIT' });
  expect(issue({ id: 'kkkkkkkkkkk2' })).toMatchObject({ ok: false, refusal: 'KEY_UNFIT' });
});

test('limits the role keys of a tenant, and accepts another after one is revoked', () => {
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
])('refuses an agent’s key %s', (_, fields) => {
  const { fold, issue } = writer();
  expect(issue(fields)).toMatchObject({ ok: false, refusal: 'KEY_UNFIT' });
  expect(fold.key('kkkkkkkkkkk1')).toBeUndefined();
});

test.each([[['publish', 'report']], [['publish']]])('accepts an agent’s key with %j', (scopes) => {
  expect(writer().issue({ scopes })).toMatchObject({ ok: true });
});

test('an agent’s keys end when the agent is retired, and stay ended when it is registered again', () => {
  const { fold, put, issue } = writer();
  expect(issue().ok).toBe(true);
  expect(fold.key('kkkkkkkkkkk1')?.revokedAt).toBe(null);
  put({ event: 'agent.retired', agentId: 'a' });
  put({ event: 'agent.put', agent: { id: 'a' } });
  expect(fold.key('kkkkkkkkkkk1')).toMatchObject({ tenant: 'acme', revokedAt: KEY.createdAt });
});

test('remembers the owners of the keys that ended last, and forgets owners of earlier keys', () => {
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
  // Key 0 is issued again. Key 1 is issued and revoked again, so key 1 has ended most recently.
  expect(issue({ id: numbered(0) }).ok).toBe(true);
  expect(issue({ id: numbered(1) }).ok).toBe(true);
  put({ event: 'key.revoked', agentId: 'a', keyId: numbered(1) });
  const endedKeys = fold.state.tenants.get('acme')?.control.endedKeys ?? new Map();
  // Fills the memory of ended keys directly. Ending that many keys would take seconds.
  const [first] = endedKeys.values();
  while (endedKeys.size < CAPS.endedKeys) endedKeys.set(`b${endedKeys.size}`, first);
  end(4);
  expect(endedKeys.has(numbered(0))).toBe(false);
  expect([0, 1, 2, 3, 4].map(isKnown)).toEqual([true, true, true, true, true]);
  expect(grant({ id: 'rrrrrrrrrrr1' }).ok).toBe(true);
  expect(put({ event: 'role.revoked', keyId: 'rrrrrrrrrrr1' }).ok).toBe(true);
  put({ event: 'agent.retired', agentId: 'a' });
  expect([0, 1, 2, 3, 4].map(isKnown)).toEqual([true, true, false, false, true]);
  // The outcome of a change is remembered for longer than the key.
  expect(again()).toEqual({ ok: true, revision: 100 });
  expect(fold.key('rrrrrrrrrrr1')).toMatchObject({ tenant: 'acme', revokedAt: KEY.createdAt });
  expect([...fold.state.tenantOfKey.keys()].sort()).toEqual(
    [numbered(0), numbered(1), numbered(4), 'rrrrrrrrrrr1'].sort(),
  );
  expect(endedKeys.size).toBe(CAPS.endedKeys);
});

test('limits the keys of an agent, and accepts another after one is revoked', () => {
  const { put, issue } = writer();
  const numbered = (at: number) => issue({ id: `k${String(at).padStart(11, '0')}` });
  for (let at = 0; at < CAPS.keysPerAgent; at += 1) expect(numbered(at).ok).toBe(true);
  expect(numbered(CAPS.keysPerAgent)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  put({ event: 'key.revoked', agentId: 'a', keyId: `k${'0'.repeat(11)}` });
  expect(numbered(CAPS.keysPerAgent).ok).toBe(true);
});

test('in a closed tenant a role key can be revoked, and no key can be issued', () => {
  const { fold, put, grant } = writer();
  put({ event: 'tenant.put', tenant: { version: 1, id: 'acme' } });
  expect(grant().ok).toBe(true);
  put({ event: 'tenant.closed' });
  expect(grant({ id: 'kkkkkkkkkkk3' })).toMatchObject({ ok: false, refusal: 'TENANT_CLOSED' });
  expect(put({ event: 'role.revoked', keyId: 'kkkkkkkkkkk2' }).ok).toBe(true);
  expect(fold.key('kkkkkkkkkkk2')?.revokedAt).toBe(KEY.createdAt);
});
