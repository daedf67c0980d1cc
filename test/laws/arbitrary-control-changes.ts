/**
 * Makes changes of two tenants on the control topic. There are few names, so that changes often affect the same
 * documents.
 */
import { controlRecord, ROLE_NAMES, ROLES } from '@mandate/schemas';
import fc from 'fast-check';

export const AGENTS = ['a', 'b', 'c'];
const POLICIES = ['p', 'q'];
export const RULES = ['r', 's'];
export const KEYS = ['kkkkkkkkkkk1', 'kkkkkkkkkkk2'];
const SCOPES = [['publish'], ['publish', 'report'], ['publish', 'operate:all']];
const GRANTED = [...Object.values(ROLES), ['audit', 'operate:all'], ['publish']];
export const MANDATES = ['mnd_1', 'mnd_2'];
const GRANT = {
  ...{ context: {}, rules: [{ rule: 'r', policy: 'p@1', mode: 'enforce' }], openRules: [] },
  ...{ ttlMs: 1_000, expiresAt: '2026-03-01T12:00:01.000Z' },
};
export const KEY = {
  ...{ name: 'n', tenant: 'acme', hash: 'a'.repeat(64) },
  ...{ createdAt: '2026-03-01T12:00:00.000Z', revokedAt: null },
};

const MANIFESTS = ['a', 'm'];
/** Manifests with few ids, so that they collide with other documents and with each other. */
const manifest = fc
  .tuple(fc.constantFrom(...MANIFESTS), fc.subarray(['x', 'y']), fc.nat(3), fc.boolean())
  .map(([id, names, maxCostTotal, isMoved]) => {
    const ids = [id, ...names.map((name) => `${id}.${name}`)];
    return {
      event: 'manifest.published',
      manifest: {
        ...{ id, hash: `${maxCostTotal}`.repeat(64), text: '{}', options: '{}' },
        agents: ids.map((own, at) => ({ id: own, ...(at > 0 && { parent: isMoved ? 'b' : id }) })),
        policies: ids.map((own) => ({ version: 1, id: own, maxCostTotal })),
        rules: ids.map((own) => ({ version: 1, id: own, policy: own, agents: [own] })),
      },
    };
  });

const expects = fc.option(fc.nat(12), { nil: undefined });
const body = fc.oneof(
  fc.record({
    event: fc.constant('agent.put'),
    agent: fc.record(
      { id: fc.constantFrom(...AGENTS), parent: fc.constantFrom(...AGENTS, 'nobody') },
      { requiredKeys: ['id'] },
    ),
  }),
  fc.record({ event: fc.constant('agent.retired'), agentId: fc.constantFrom(...AGENTS) }),
  fc
    .tuple(fc.constantFrom(...AGENTS), fc.constantFrom(...KEYS), fc.constantFrom(...SCOPES))
    .map(([agentId, id, scopes]) => ({
      event: 'key.issued',
      agentId,
      key: { ...KEY, id, agents: [agentId], scopes },
    })),
  fc.record({
    event: fc.constant('key.revoked'),
    agentId: fc.constantFrom(...AGENTS),
    keyId: fc.constantFrom(...KEYS),
  }),
  fc
    .tuple(
      fc.constantFrom(...KEYS, 'kkkkkkkkkkk3'),
      fc.constantFrom(...ROLE_NAMES),
      fc.constantFrom(...GRANTED),
    )
    .map(([id, role, scopes]) => ({
      event: 'role.granted',
      role,
      key: { ...KEY, id, agents: ['*'], scopes },
    })),
  fc.record(
    {
      event: fc.constant('role.revoked'),
      keyId: fc.constantFrom(...KEYS),
      byKey: fc.constantFrom(...KEYS),
    },
    { requiredKeys: ['event', 'keyId'] },
  ),
  fc.record({
    event: fc.constant('policy.published'),
    policy: fc.record({ version: fc.constant(1), id: fc.constantFrom(...POLICIES), maxCostTotal: fc.nat(5) }),
  }),
  fc.record({
    event: fc.constant('policy.archived'),
    policyId: fc.constantFrom(...POLICIES),
    forced: fc.boolean(),
  }),
  fc.record({
    event: fc.constant('rule.put'),
    rule: fc.record({
      version: fc.constant(1),
      id: fc.constantFrom(...RULES),
      policy: fc.constantFrom('p', 'q@1', 'gone'),
    }),
  }),
  fc.record({ event: fc.constant('rule.removed'), ruleId: fc.constantFrom(...RULES) }),
  fc.record({ event: fc.constant('rules.reordered'), ruleIds: fc.shuffledSubarray(RULES) }),
  fc
    .tuple(fc.constantFrom(...AGENTS), fc.constantFrom(...MANDATES), fc.nat(12))
    .map(([agentId, id, foundAt]) => ({
      event: 'grant.issued',
      grant: { ...GRANT, id, agentId, foundAt },
    })),
  fc.record({ event: fc.constant('grant.revoked'), grantId: fc.constantFrom(...MANDATES) }),
);

const ofManifests = fc.oneof(
  { weight: 2, arbitrary: manifest },
  {
    weight: 1,
    arbitrary: fc.record({
      event: fc.constant('manifest.removed'),
      manifestId: fc.constantFrom(...MANIFESTS),
      forced: fc.boolean(),
    }),
  },
);

export const QUOTAS = ['agents', 'policies', 'rules', 'grants'] as const;
const ofTenants = fc.oneof(
  fc.record({
    event: fc.constant('tenant.put'),
    tenant: fc.record(
      {
        version: fc.constant(1),
        id: fc.constantFrom('acme', 'acme', 'other'),
        quotas: fc.record(Object.fromEntries(QUOTAS.map((what) => [what, fc.nat(3)])), { requiredKeys: [] }),
        directTopic: fc.boolean(),
      },
      { requiredKeys: ['version', 'id'] },
    ),
  }),
  fc.constant({ event: 'tenant.closed' }),
);

const changeOf = (what: fc.Arbitrary<object>) =>
  fc.tuple(what, fc.constantFrom('acme', 'other'), expects, fc.uuid()).map(([fields, tenant, expected, id]) =>
    controlRecord.parse({
      ...fields,
      change: {
        id,
        tenant,
        by: 'ann',
        reason: '',
        at: '2026-03-01T12:00:00.000Z',
        ...(expected !== undefined && { expects: expected }),
      },
    }),
  );
/** Changes in tenants that have no tenant document. */
export const ofOthers = changeOf(body);
export const changes = fc.array(ofOthers, { maxLength: 12, size: 'max' });
/** The changes above, and changes of manifests and of tenants. */
export const change = fc.oneof(
  { weight: 4, arbitrary: ofOthers },
  { weight: 1, arbitrary: changeOf(ofManifests) },
  { weight: 1, arbitrary: changeOf(ofTenants) },
);
export const inTenants = fc.array(change, { maxLength: 16, size: 'max' });
/** Changes of manifests and of their documents, in tenants without limits. */
export const withManifests = fc.array(fc.oneof(ofOthers, changeOf(ofManifests)), {
  maxLength: 16,
  size: 'max',
});
