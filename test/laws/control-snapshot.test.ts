/**
 * Tests that a snapshot of the control state is only a cache. A process that starts from a snapshot computes the same
 * state as a process that read all records, wherever the snapshot was taken.
 */
import { createHash } from 'node:crypto';
import {
  type Changed,
  type ControlFold,
  composeGrant,
  controlDigest,
  foldControl,
  mandatesUnderControl,
  readControl,
  readControlHead,
  writeControl,
} from '@mandate/control';
import { planInForce } from '@mandate/policy';
import { type Action, CONTROL_RECORDS, type ControlRecord, controlRecord, wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGENTS, change, KEY, KEYS, MANDATES } from './arbitrary-control-changes.ts';

const PLACE = { offset: 7, sha256: 'f'.repeat(64) };
const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const TENANTS = ['acme', 'other'];

async function restored(fold: ControlFold): Promise<ControlFold> {
  const read = await readControl(writeControl(fold, PLACE));
  if (!read.ok) throw new Error(read.why);
  return read.fold;
}

/**
 * A step of a history. The record of some steps depends on the records before. For example, a grant is composed as
 * the control service would compose it then.
 */
type Step =
  | { kind: 'change'; record: ControlRecord }
  | { kind: 'issue' | 'again'; tenant: string; at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: change.map((record): Step => ({ kind: 'change', record })) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('issue' as const, 'issue' as const, 'again' as const),
      tenant: fc.constantFrom(...TENANTS),
      at: fc.nat(11),
    }),
  },
);
/** The first steps add rules that match. So most grants are not empty. */
const history = fc.array(step, { minLength: 4, maxLength: 24, size: 'max' }).map((steps) => {
  const fold = foldControl();
  const records: ControlRecord[] = [];
  for (const one of [...beginning(), ...steps]) {
    const record = one.kind === 'change' ? one.record : drawn(fold, one, records);
    if (record === null) continue;
    records.push(record);
    fold.apply(record, records.length);
  }
  return records;
});

function beginning(): Step[] {
  const bodies = [
    { event: 'agent.put', agent: { id: 'a' } },
    { event: 'policy.published', policy: { version: 1, id: 'p', maxCostTotal: 3 } },
    { event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p' } },
  ];
  return bodies.map((body, at) => ({ kind: 'change', record: recordOf(body, `begin-${at}`) }));
}

function recordOf(body: object, id: string, tenant = 'acme', atMs = START_MS): ControlRecord {
  const made = { id, tenant, by: 'ann', reason: '', at: wireTime(atMs) };
  return controlRecord.parse({ ...body, change: made });
}

function drawn(
  fold: ControlFold,
  { kind, tenant, at }: Exclude<Step, { kind: 'change' }>,
  records: readonly ControlRecord[],
): ControlRecord | null {
  if (kind === 'again') return records[at % records.length] ?? null;
  const agentId = AGENTS[at % AGENTS.length] ?? '';
  const grant = grantOf(fold, agentId, MANDATES[at % MANDATES.length] ?? '', records.length, tenant);
  if (grant === null) return null;
  return recordOf({ event: 'grant.issued', grant }, `issue-${records.length}`, tenant);
}

function grantOf(fold: ControlFold, agentId: string, id: string, foundAt: number, tenant = 'acme') {
  const control = fold.tenant(tenant);
  const agent = control.agents.get(agentId);
  const issue = agent && composeGrant(control, agent, {}, START_MS);
  if (!issue?.ok) return null;
  const { rules, openRules } = issue.composed;
  const times = { ttlMs: 60_000, expiresAt: wireTime(START_MS + 60_000) };
  return { ...{ id, agentId, context: {}, foundAt, rules, openRules }, ...times };
}

/** Returns everything that the control state answers. */
function told(fold: ControlFold): unknown {
  const mandates = mandatesUnderControl(fold, () => 0);
  const plans = TENANTS.flatMap((tenant) =>
    AGENTS.flatMap((agentId) =>
      [undefined, ...MANDATES].map((mandateId) => {
        const action = { id: 'x', agentId, type: 'tool_call', tool: 'read', mandateId } as Action;
        return planInForce(mandates, tenant, action, START_MS + 1);
      }),
    ),
  );
  const direct = [...fold.withTopics].sort();
  const tenants = TENANTS.map((name) => fold.tenant(name));
  return { plans, direct, opened: fold.opened, tenants, keys: KEYS.map((id) => fold.key(id)) };
}

test('a process that starts from a snapshot, wherever it was taken, gives the same answers about all later records', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (records, looked) => {
      const whole = foldControl();
      const became = records.map((record, at) => whole.apply(record, at + 1));
      const before = foldControl();
      for (let cut = 0; cut <= records.length; cut += 1) {
        const after = await restored(before);
        expect(controlDigest(after)).toBe(controlDigest(before));
        const rest: Changed[] = [];
        for (let at = cut; at < records.length; at += 1)
          rest.push(after.apply(records[at] as ControlRecord, at + 1));
        expect(rest).toEqual(became.slice(cut));
        expect(controlDigest(after)).toBe(controlDigest(whole));
        if (cut === looked % (records.length + 1)) {
          // Compares every field of the state, even fields that no answer shows yet.
          expect(after.state).toEqual(whole.state);
          expect(told(after)).toEqual(told(whole));
        }
        if (cut < records.length) before.apply(records[cut] as ControlRecord, cut + 1);
      }
    }),
    { numRuns: 40 },
  );
});

test('restores a long history completely, also the order in which entries are forgotten, and shares the documents that grants are composed of', async () => {
  const fold = longHistory();
  const { control, results } = fold.state.tenants.get('acme') ?? never();
  expect([results.size, control.issued.forgetAt > 1_000]).toEqual([10_000, true]);
  const after = await restored(fold);
  expect(after.state).toEqual(fold.state);
  expect(controlDigest(after, createHash('sha256'))).toBe(controlDigest(fold));

  const past = [...writeControl(fold, PLACE)].filter((line) => line.startsWith('{"line":"past rule"'));
  expect(past).toHaveLength(1);
  const { issued, rules, policies, versions } = after.state.tenants.get('acme')?.control ?? never();
  expect(issued.made.size).toBe(control.issued.made.size);
  const grants = [...issued.byId.values()];
  expect(grants[0]?.rules[0]?.rule).not.toBe(rules.get('r'));
  expect(grants.at(-1)?.rules[0]?.rule).toBe(rules.get('r'));
  expect(policies.get('p')?.versions).toBe(versions.get('p'));

  const [oldest] = results.keys();
  const next = recordOf({ event: 'agent.put', agent: { id: 'z' } }, 'next');
  for (const each of [fold, after]) each.apply(next, 20_000);
  expect(after.state.tenants.get('acme')?.results.has(oldest ?? '')).toBe(false);
  expect(controlDigest(after)).toBe(controlDigest(fold));
});

test.each([
  ['an agent', 'key.issued', { agentId: 'a' }, { agents: ['a'], scopes: ['publish'] }, 'agent.retired'],
  ['somebody', 'role.granted', { role: 'viewer' }, { agents: ['*'], scopes: ['audit'] }, 'role.revoked'],
])(
  'a key of %s does not get its public id while another tenant’s key has this id, and never gets it later; a later key does',
  async (_, event, whose, fields, end) => {
    const fold = foldControl();
    let revision = 0;
    const put = (each: ControlFold, tenant: string, body: object) =>
      each.apply(recordOf(body, `chg-${tenant}-${revision}`, tenant), revision);
    const both = (tenant: string) => {
      const key = { ...KEY, tenant, id: KEYS[0], ...fields };
      return [
        { event: 'agent.put', agent: { id: 'a' } },
        { event, ...whose, key },
      ];
    };
    for (const tenant of ['other', 'acme'])
      for (const body of both(tenant)) {
        revision += 1;
        expect(put(fold, tenant, body).ok).toBe(true);
      }
    const after = await restored(fold);
    const tenants = [fold.key(KEYS[0] ?? '')?.tenant, after.key(KEYS[0] ?? '')?.tenant];
    expect(tenants).toEqual(['other', 'other']);
    for (const tenant of ['other', 'acme']) {
      revision += 1;
      for (const each of [fold, after]) {
        put(each, tenant, { event: end, ...(end === 'role.revoked' ? { keyId: KEYS[0] } : whose) });
        expect(each.key(KEYS[0] ?? '')).toMatchObject({ tenant: 'other', revokedAt: wireTime(START_MS) });
      }
      expect(after.state).toEqual(fold.state);
      expect((await restored(fold)).state).toEqual(fold.state);
    }
    // Both keys have ended. An ended key does not reserve its id, so a later key of a third tenant gets the id.
    const third = 'globex';
    for (const body of both(third)) {
      revision += 1;
      expect(put(fold, third, body).ok).toBe(true);
    }
    const behind = await restored(fold);
    expect([fold, behind].map((each) => each.key(KEYS[0] ?? ''))).toMatchObject([
      { tenant: third, revokedAt: null },
      { tenant: third, revokedAt: null },
    ]);
  },
);

/**
 * Returns the state after more changes than are remembered and more grants than are forgotten at once. One of the
 * changed documents is a rule that grants use.
 */
function longHistory(): ControlFold {
  const fold = foldControl();
  let revision = 0;
  const put = (body: object, atMs = START_MS) => {
    revision += 1;
    return fold.apply(recordOf(body, `chg-${revision}`, 'acme', atMs), revision);
  };
  const rule = (priority: number) =>
    put({ event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p', priority } });
  put({ event: 'agent.put', agent: { id: 'a' } });
  put({ event: 'policy.published', policy: { version: 1, id: 'p' } });
  rule(1);
  for (let number = 0; number < 1_400; number += 1) {
    if (number === 700) rule(2);
    // The first hundred grants have ended when the history has a thousand grants.
    const grant = grantOf(fold, 'a', `mnd_${number}`, revision) ?? never();
    const endsMs = START_MS + (number < 100 ? 1 : 60_000);
    put(
      { event: 'grant.issued', grant: { ...grant, expiresAt: wireTime(endsMs) } },
      START_MS + (number < 100 ? 0 : 10),
    );
  }
  const policy = { version: 1, id: 'q' };
  while (revision < 10_100) put({ event: 'policy.archived', policyId: policy.id, forced: true });
  return fold;
}

function never(): never {
  throw new Error('the history must hold it');
}

/** Publishes a manifest with these agents. The first agent is the manifest itself. */
function manifest(ids: readonly string[]): object {
  const [id = ''] = ids;
  const published = {
    ...{ id, hash: 'c'.repeat(64), text: '{}', options: '{}' },
    agents: ids.map((own, at) => ({ id: own, ...(at > 0 && { parent: id }) })),
    policies: ids.map((own) => ({ version: 1, id: own, allowedTools: [] })),
    rules: ids.map((own) => ({ version: 1, id: own, policy: own, agents: [own] })),
  };
  return { event: 'manifest.published', manifest: published };
}

/** Returns the state after one record of each kind. All these records take effect. */
function oneOfEach(): ControlFold {
  const fold = foldControl();
  const key = { ...KEY, id: KEYS[0], agents: ['a'], scopes: ['publish'] };
  const roleKey = { ...KEY, id: KEYS[1], agents: ['*'], scopes: ['audit'] };
  const policy = { version: 1, id: 'p', maxCostTotal: 5, allowedTools: ['read_*'] };
  const grant = () => grantOf(fold, 'a', 'mnd_1', 7);
  const tenant = { version: 1, id: 'acme', quotas: { agents: 9 }, limits: { deniedTools: ['send'] } };
  const bodies: (() => object)[] = [
    () => ({ event: 'tenant.put', tenant }),
    () => ({ event: 'agent.put', agent: { id: 'lead', labels: { team: 'ops' } } }),
    () => ({ event: 'agent.put', agent: { id: 'a', parent: 'lead', groups: ['g'] } }),
    () => ({ event: 'key.issued', agentId: 'a', key }),
    () => ({ event: 'role.granted', role: 'viewer', key: roleKey }),
    () => ({ event: 'policy.published', policy }),
    () => ({ event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p@1' } }),
    () => ({ event: 'grant.issued', grant: grant() }),
    () => ({ event: 'grant.revoked', grantId: 'mnd_1' }),
    () => ({ event: 'rules.reordered', ruleIds: ['r'] }),
    () => ({ event: 'agent.put', agent: { id: 'gone', parent: 'lead' } }),
    () => ({ event: 'agent.put', agent: { id: 'gone', parent: 'a' } }),
    () => ({ event: 'agent.put', agent: { id: 'gone' } }),
    () => ({ event: 'agent.retired', agentId: 'gone' }),
    () => ({ event: 'rule.put', rule: { version: 1, id: 's', policy: 'p' } }),
    () => ({ event: 'rule.removed', ruleId: 's' }),
    () => ({ event: 'policy.archived', policyId: 'p', forced: true }),
    () => manifest(['m', 'm.x']),
    () => manifest(['m']),
    () => manifest(['n']),
    () => ({ event: 'manifest.removed', manifestId: 'n', forced: false }),
    () => ({ event: 'key.revoked', agentId: 'a', keyId: KEYS[0] }),
    () => ({ event: 'role.granted', role: 'viewer', key: { ...roleKey, id: KEYS[0] } }),
    () => ({ event: 'role.revoked', keyId: KEYS[1] }),
    () => ({ event: 'tenant.closed' }),
  ];
  const seen = new Set<string>();
  for (const [at, body] of bodies.entries()) {
    const record = recordOf(body(), `one-${at}`);
    expect(fold.apply(record, at + 1), record.event).toMatchObject({ ok: true });
    seen.add(record.event);
  }
  expect([...seen].toSorted()).toEqual(CONTROL_RECORDS.toSorted());
  return fold;
}

/** If this test fails, increase `CONTROL_SNAPSHOT_VERSION` and change the digest. */
test('the control state and its encoding change only together with the version number', () => {
  const [head = ''] = writeControl(oneOfEach(), PLACE);
  expect([JSON.parse(head).version, controlDigest(oneOfEach())]).toEqual([
    13,
    '94f95ae61b0bbc978cf72d024f11a8168dbacd88baf48258e8b95a5672b07091',
  ]);
});

test('the first line of a snapshot says what the snapshot covers, if this build wrote it', () => {
  const [head = ''] = writeControl(oneOfEach(), PLACE);
  expect(readControlHead(head)).toMatchObject(PLACE);
  for (const [what, other] of [
    [/"version":\d+/, '"version":0'],
    [/"shape":"\w+"/, '"shape":"x"'],
    ['control', 'tenant'],
    ['{', ''],
  ] as const)
    expect(readControlHead(head.replace(what, other))).toBe(null);
});

describe('a damaged snapshot is not read', () => {
  test.each<[string, (lines: string[]) => string[]]>([
    ['cut short', (lines) => lines.slice(0, -1)],
    ['without one of its lines', (lines) => lines.toSpliced(3, 1)],
    [
      'with a changed limit',
      (lines) => lines.map((line) => line.replace('"maxCostTotal":5', '"maxCostTotal":6')),
    ],
    ['with another log position', (lines) => lines.map((line) => line.replace('"offset":7', '"offset":8'))],
    ['without its head', (lines) => lines.slice(1)],
    ['of another version', (lines) => lines.map((line) => line.replace(/"version":\d+/, '"version":0'))],
    ['of other records', (lines) => lines.map((line) => line.replace(/"shape":"./, '"shape":"x'))],
    ['that is not JSON', (lines) => [...lines.slice(0, 2), '{']],
    ['with an unknown kind of line', (lines) => lines.toSpliced(2, 0, '{"line":"spell"}')],
    ['with nulls only', (lines) => lines.map(() => 'null')],
    ['with its last line only', (lines) => lines.slice(-1)],
    ['without lines', () => []],
  ])('%s', async (_what, spoil) => {
    const lines = [...writeControl(oneOfEach(), PLACE)];
    const spoilt = spoil(lines);
    expect(spoilt).not.toEqual(lines);
    expect(await readControl(spoilt)).toMatchObject({ ok: false });
  });
});
