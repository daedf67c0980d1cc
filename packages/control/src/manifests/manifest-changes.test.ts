/** Tests that a manifest and its documents change together, and that no manifest takes over documents of others. */
import { CAPS } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import type { TenantControl } from '../tenant-control.ts';
import { published, removed, writing } from './published-manifest.fixture.ts';

const refused = (refusal: string) => ({ ok: false, refusal });

function documentsIn({ agents, policies, rules }: TenantControl) {
  const inUse = [...policies].filter(([, { isArchived }]) => !isArchived).map(([id]) => id);
  return { agents: [...agents.keys()].sort(), policies: inUse.sort(), rules: [...rules.keys()].sort() };
}

const all = (...ids: string[]) => ({ agents: ids, policies: ids, rules: ids });

describe('publishing', () => {
  test('adds all documents at the revision of the change, and keeps the version with its author', () => {
    const { fold, put } = writing();
    expect(put(published('team', ['a', 'b']))).toEqual({ ok: true, revision: 1 });
    const control = fold.tenant('acme');
    expect(documentsIn(control)).toEqual(all('team', 'team.a', 'team.b'));
    for (const kept of [...control.agents.values(), ...control.rules.values()]) expect(kept.revision).toBe(1);
    const { revision, versions, isRemoved } = control.manifests.get('team') ?? {};
    expect({ revision, versions, isRemoved }).toEqual({
      revision: 1,
      isRemoved: false,
      versions: [
        {
          revision: 1,
          document: { hash: 'c'.repeat(64), by: 'ann', reason: 'why', at: '2026-03-01T12:00:00.000Z' },
        },
      ],
    });
  });

  test('changes only documents that differ, also documents that a person changed meanwhile', () => {
    const { fold, put } = writing();
    put(published('team', ['a', 'b']));
    put({ event: 'policy.published', policy: { version: 1, id: 'team.a', maxCostTotal: 9 } });
    put(published('team', ['a', 'b']));
    const { policies, agents, manifests } = fold.tenant('acme');
    expect(policies.get('team.a')?.versions.map(({ document }) => document.maxCostTotal)).toEqual([1, 9, 1]);
    expect(policies.get('team.b')?.versions).toHaveLength(1);
    expect(agents.get('team.a')?.revision).toBe(1);
    expect(manifests.get('team')?.versions).toHaveLength(2);
  });

  test('removes the documents that the new version no longer has, and no others', () => {
    const { fold, put } = writing();
    put({ event: 'agent.put', agent: { id: 'other' } });
    put(published('team', ['a', 'b']));
    put(published('team', ['b', 'c']));
    const control = fold.tenant('acme');
    expect(documentsIn(control)).toEqual({
      ...all('team', 'team.b', 'team.c'),
      agents: ['other', 'team', 'team.b', 'team.c'],
    });
    expect(control.retired.has('team.a')).toBe(true);
  });

  test('restores a document that a person removed', () => {
    const { fold, put } = writing();
    put(published('team', ['a']));
    put({ event: 'rule.removed', ruleId: 'team.a' });
    put({ event: 'agent.retired', agentId: 'team.a' });
    put({ event: 'policy.archived', policyId: 'team.a', forced: true });
    put(published('team', ['a']));
    expect(documentsIn(fold.tenant('acme'))).toEqual(all('team', 'team.a'));
  });

  test('moves agents back that a person gave another parent', () => {
    const { fold, put } = writing();
    put({ event: 'agent.put', agent: { id: 'lead' } });
    put(published('team', ['a']));
    put({ event: 'agent.put', agent: { id: 'team.a', parent: 'lead' } });
    expect(put(published('team', ['a'])).ok).toBe(true);
    const { agents, departures } = fold.tenant('acme');
    expect(agents.get('team.a')?.document.parent).toBe('team');
    expect([...(departures.get('team.a')?.keys() ?? [])]).toEqual(['lead']);
  });

  test('ends the keys of agents that the new version no longer has', () => {
    const { fold, put } = writing();
    put(published('team', ['a']));
    const key = {
      ...{ id: 'kkkkkkkkkkk1', name: 'n', tenant: 'acme', scopes: ['publish'], agents: ['team.a'] },
      ...{ hash: 'a'.repeat(64), createdAt: '2026-03-01T12:00:00.000Z', revokedAt: null },
    };
    expect(put({ event: 'key.issued', agentId: 'team.a', key }).ok).toBe(true);
    put(published('team'));
    expect(fold.key(key.id)?.revokedAt).not.toBe(null);
  });

  test('is refused if another change was made since the expected revision', () => {
    const { fold, put } = writing();
    put(published('team'));
    expect(put(published('team', ['a']), { expects: 0 })).toEqual({
      ...refused('REVISION_CONFLICT'),
      revision: 1,
    });
    expect(fold.tenant('acme').agents.size).toBe(1);
  });
});

describe('documents of others', () => {
  test.each([
    ['an agent', { event: 'agent.put', agent: { id: 'team.a' } }],
    ['the agent of the manifest', { event: 'agent.put', agent: { id: 'team' } }],
    ['a policy', { event: 'policy.published', policy: { version: 1, id: 'team.a' } }],
    ['a rule', { event: 'rule.put', rule: { version: 1, id: 'team.a', policy: 'p' } }],
    ['an agent of another manifest', published('team.a')],
  ])('are not taken over: %s', (_, body) => {
    const { fold, put } = writing();
    put(body);
    const before = documentsIn(fold.tenant('acme'));
    expect(put(published('team', ['a']))).toMatchObject(refused('ID_TAKEN'));
    expect(documentsIn(fold.tenant('acme'))).toEqual(before);
    expect(fold.tenant('acme').manifests.has('team')).toBe(false);
  });

  test('keep a policy that they use: the version without it is refused, and so is the removal', () => {
    const { fold, put } = writing();
    put(published('team', ['a']));
    put({ event: 'rule.put', rule: { version: 1, id: 'mine', policy: 'team.a' } });
    expect(put(published('team'))).toMatchObject(refused('POLICY_IN_USE'));
    expect(put(removed('team'))).toMatchObject(refused('POLICY_IN_USE'));
    expect(documentsIn(fold.tenant('acme')).policies).toEqual(['team', 'team.a']);
    expect(put(removed('team', true)).ok).toBe(true);
    expect(documentsIn(fold.tenant('acme'))).toEqual({ agents: [], policies: [], rules: ['mine'] });
  });

  test('of another tenant do not count', () => {
    const { put } = writing();
    put({ event: 'agent.put', agent: { id: 'team' } }, { tenant: 'globex' });
    expect(put(published('team')).ok).toBe(true);
  });
});

describe('removing', () => {
  test('removes all documents and keeps the versions, and the manifest can be published again', () => {
    const { fold, put } = writing();
    put(published('team', ['a']));
    expect(put(removed('team'))).toEqual({ ok: true, revision: 2 });
    const { manifests, ...control } = fold.tenant('acme');
    expect(documentsIn(control as TenantControl)).toEqual(all());
    expect(manifests.get('team')).toMatchObject({
      isRemoved: true,
      revision: 2,
      versions: [{ revision: 1 }],
    });
    expect(put(removed('team'))).toMatchObject(refused('NOT_FOUND'));
    expect(put(published('team', ['a'])).ok).toBe(true);
    expect(documentsIn(fold.tenant('acme'))).toEqual(all('team', 'team.a'));
    expect(manifests.get('team')?.versions).toHaveLength(2);
  });

  test('of a manifest that was never published is refused', () => {
    expect(writing().put(removed('team'))).toMatchObject(refused('NOT_FOUND'));
  });

  test('gives back the size of the documents except that of versions', () => {
    const { fold, put } = writing();
    put(published('team', ['a', 'b']));
    const { units } = fold.tenant('acme');
    put(removed('team'));
    const after = fold.tenant('acme').units;
    expect(after).toBeLessThan(units);
    put(published('team', ['a', 'b']));
    expect(fold.tenant('acme').units).toBeGreaterThan(units);
  });
});

describe('a record that no compilation makes', () => {
  const agent = (id: string, parent?: string) => ({ id, ...(parent !== undefined && { parent }) });
  const rule = (fields: object) => ({ version: 1, id: 'team', policy: 'team', agents: ['team'], ...fields });
  test.each<[string, object]>([
    ['an agent without the id of the manifest', { agents: [agent('team'), agent('boss', 'team')] }],
    ['an agent below another agent', { agents: [agent('team'), agent('team.a', 'team.b')] }],
    ['an agent without a parent', { agents: [agent('team'), agent('team.a')] }],
    ['a first agent with a parent', { agents: [agent('team', 'lead')] }],
    ['another first agent', { agents: [agent('team.a'), agent('team', 'team.a')] }],
    ['two agents with one id', { agents: [agent('team'), agent('team.a', 'team'), agent('team.a', 'team')] }],
    ['a policy of another id', { policies: [{ version: 1, id: 'teams' }] }],
    ['a rule that gives the policy of others', { rules: [rule({ policy: 'admin' })] }],
    ['a rule for the agents of others', { rules: [rule({ agents: ['team', '*'] })] }],
    ['a rule for every agent', { rules: [rule({ agents: undefined })] }],
    ['a rule for a group', { rules: [rule({ agents: undefined, groups: ['cam'] })] }],
  ])('is refused: %s', (_, fields) => {
    const { fold, put } = writing();
    expect(put(published('team', [], fields))).toMatchObject(refused('MANIFEST_UNFIT'));
    expect(documentsIn(fold.tenant('acme'))).toEqual(all());
  });
});

describe('quotas', () => {
  const quotas = (fields: object) => ({
    event: 'tenant.put',
    tenant: { version: 1, id: 'acme', quotas: fields },
  });

  test.each(['agents', 'policies', 'rules'])('count what a manifest adds: %s', (what) => {
    const { put } = writing();
    put(quotas({ [what]: 2 }));
    expect(put(published('team', ['a', 'b']))).toMatchObject(refused('TOO_MANY'));
    expect(put(published('team', ['a'])).ok).toBe(true);
    // The new version has as many documents as the version before. Archived policies count.
    expect(put(published('team', ['b'])).ok).toBe(what !== 'policies');
  });

  test('let a manifest shrink that has too many documents', () => {
    const { put } = writing();
    put(published('team', ['a', 'b', 'c']));
    put(quotas({ agents: 1 }));
    expect(put(published('team', ['a', 'b'])).ok).toBe(true);
  });

  test('limit the size of all documents', () => {
    const { fold, put } = writing();
    const big = {
      version: 1,
      id: 'team',
      allowedTools: Array.from({ length: 9_000 }, (_, at) => `${at}-`.padEnd(180, 'x')),
    };
    let last = put(published('team', [], { policies: [big] }));
    for (let at = 0; last.ok && at < 80; at += 1)
      last = put(published('team', [], { policies: [{ ...big, maxCostTotal: at }] }));
    expect(last).toMatchObject(refused('TOO_MANY'));
    expect(fold.tenant('acme').units).toBeLessThanOrEqual(CAPS.controlUnits);
  });
});

test('agents deep below an agent of the manifest limit where it can be moved', () => {
  const { put } = writing();
  put(published('team', ['a']));
  put({ event: 'agent.put', agent: { id: 'team.a' } });
  for (let at = 0; at < CAPS.parents; at += 1)
    put({ event: 'agent.put', agent: { id: `d${at}`, parent: at === 0 ? 'team.a' : `d${at - 1}` } });
  expect(put(published('team', ['a']))).toMatchObject(refused('PARENT_TOO_DEEP'));
});

test('a closed tenant publishes and removes nothing', () => {
  const { put } = writing();
  put({ event: 'tenant.put', tenant: { version: 1, id: 'acme' } });
  put(published('team'));
  put({ event: 'tenant.closed' });
  expect(put(published('more'))).toMatchObject(refused('TENANT_CLOSED'));
  expect(put(removed('team'))).toMatchObject(refused('TENANT_CLOSED'));
});
