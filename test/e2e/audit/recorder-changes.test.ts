/**
 * Records changes of agents, keys, policies, rules and grants from the control topic in the audit. The audit shows
 * who made each change and with which outcome.
 */
import { ask, changeById, publications, searchControlEvents } from '@mandate/audit';
import { applyRecord, foldControl } from '@mandate/control';
import { MandateError } from '@mandate/runtime';
import { type ControlRecord, controlRecord, TOPICS, wireTime } from '@mandate/schemas';
import { busWith, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { decided, START_MS } from './support/log-records.ts';
import { everyDecision, openRecording, type Recording } from './support/recording.ts';

const HASH = 'f00d'.repeat(16);
const KEY = {
  id: 'kkkkkkkkkkk1',
  name: 'n',
  tenant: 'acme',
  scopes: ['publish'],
  agents: ['bot'],
  hash: HASH,
};
const ROLE_KEY = {
  ...KEY,
  ...{ id: 'kkkkkkkkkkk2', scopes: ['audit'], agents: ['*'] },
  ...{ createdAt: '2026-01-01T00:00:00Z', revokedAt: null },
};
const READS = { version: 1, id: 'reads', allowedTools: ['read_*'] };

function manifest(id: string, names: readonly string[], maxCostTotal = 1): object {
  const ids = [id, ...names.map((name) => `${id}.${name}`)];
  return {
    ...{ id, hash: 'c'.repeat(64), text: '{}', options: '{}' },
    agents: ids.map((own, at) => ({ id: own, ...(at > 0 && { parent: id }) })),
    policies: ids.map((own) => ({ version: 1, id: own, ...(own === id && { maxCostTotal }) })),
    rules: ids.map((own) => ({ version: 1, id: own, policy: own, agents: [own] })),
  };
}

let recording: Recording;
let changes = 0;

beforeAll(async () => {
  recording = await openRecording();
});
afterAll(() => recording.close());

function change(event: string, what: object, given: Partial<ControlRecord['change']> = {}): ControlRecord {
  changes += 1;
  const at = wireTime(START_MS + changes);
  const who = { id: `c-${changes}`, tenant: 'acme', by: 'ops (key_1)', reason: 'a ticket', at };
  return controlRecord.parse({ event, ...what, change: { ...who, ...given } });
}

async function append(records: readonly (ControlRecord | string)[]): Promise<number[]> {
  const acks = await recording.bus.append(
    TOPICS.control,
    records.map((record) => ({
      key: null,
      partition: 0,
      value: typeof record === 'string' ? record : JSON.stringify(record),
    })),
  );
  return acks.map(({ position }) => position.offset + 1);
}

async function recordAll(options: Parameters<Recording['record']>[0] = {}): Promise<void> {
  const recorder = await recording.record(options);
  await recorder.caughtUp();
  await recorder.stop();
}

const everything = z.object({ payload: z.string() });

test('records each change with its author, reason and outcome, and no hash of a key', async () => {
  const agent = [
    change('agent.put', { agent: { id: 'bot', groups: ['support'] } }),
    change('key.issued', {
      agentId: 'bot',
      key: { ...KEY, createdAt: '2026-01-01T00:00:00Z', revokedAt: null },
    }),
  ];
  const published = change('policy.published', { policy: READS });
  const records = [
    ...agent,
    published,
    change('policy.published', { policy: { ...READS, maxCostTotal: 5 } }, { by: 'ann (key_2)' }),
    change('policy.published', { policy: READS }, { expects: 1 }),
    change('rule.put', { rule: { version: 1, id: 'r', policy: 'reads' } }),
    change('grant.issued', {
      grant: {
        ...{ id: 'mnd_1', agentId: 'bot', context: {}, openRules: [], foundAt: 6, ttlMs: 1_000 },
        rules: [{ rule: 'r', policy: 'reads@2', mode: 'enforce' }],
        expiresAt: wireTime(START_MS + changes + 500),
      },
    }),
    change('grant.revoked', { grantId: 'mnd_1' }),
    change('rules.reordered', { ruleIds: ['r'] }),
    change('policy.archived', { policyId: 'reads', forced: false }),
    change('rule.removed', { ruleId: 'r' }),
    change('policy.archived', { policyId: 'reads', forced: false }),
    change('key.revoked', { agentId: 'bot', keyId: KEY.id }),
    change('role.granted', { role: 'viewer', key: ROLE_KEY }),
    change('role.granted', { role: 'admin', key: ROLE_KEY }),
    change('role.revoked', { keyId: ROLE_KEY.id }),
    change('agent.retired', { agentId: 'bot' }),
    change('agent.retired', { agentId: 'bot' }),
    // The writer got no answer from the log and appended the change again. The audit must show the change once.
    { ...published, change: { ...published.change, reason: 'again' } },
    change('policy.published', { policy: { ...READS, maxCostTotal: 9 } }, { id: published.change.id }),
    change('policy.published', { policy: READS }, { tenant: 'globex' }),
    change('manifest.published', { manifest: manifest('team', ['a', 'b']) }, { tenant: 'globex' }),
    change(
      'manifest.published',
      { manifest: manifest('team', ['a'], 2) },
      { tenant: 'globex', by: 'ann (key_2)' },
    ),
    change('manifest.removed', { manifestId: 'gone', forced: false }, { tenant: 'globex' }),
    change('tenant.put', { tenant: { version: 1, id: 'hooli' } }, { tenant: 'hooli' }),
    change('tenant.closed', {}, { tenant: 'hooli' }),
    change('tenant.closed', {}, { tenant: 'hooli' }),
    // The time of this change is later than any time that a column of the tables can hold.
    change(
      'key.issued',
      { agentId: 'bot', key: { ...KEY, createdAt: '2026-01-01T00:00:00Z', revokedAt: null } },
      { at: '2300-01-01T00:00:00Z' },
    ),
  ];
  const [first = 0] = await append(records);
  await recordAll({ maxBatch: 3 });

  const found = await ask(recording.audit, searchControlEvents, { tenant: 'acme' });
  const told = found
    .toReversed()
    .map(({ event, subject, agentId, policyVersion, refusal }) =>
      [event, subject, agentId, policyVersion, refusal].filter((one) => one !== null).join(' '),
    );
  expect(told).toEqual([
    'agent.put bot bot',
    'key.issued kkkkkkkkkkk1 bot',
    'policy.published reads 1',
    'policy.published reads 2',
    'policy.published reads REVISION_CONFLICT',
    'rule.put r',
    'grant.issued mnd_1 bot',
    'grant.revoked mnd_1',
    'rules.reordered',
    'policy.archived reads POLICY_IN_USE',
    'rule.removed r',
    'policy.archived reads',
    'key.revoked kkkkkkkkkkk1 bot',
    'role.granted kkkkkkkkkkk2',
    'role.granted kkkkkkkkkkk2 KEY_UNFIT',
    'role.revoked kkkkkkkkkkk2',
    'agent.retired bot bot',
    'agent.retired bot bot NOT_FOUND',
    'policy.published reads ID_REUSED',
  ]);
  expect(found.at(-1)).toMatchObject({
    ...{ by: 'ops (key_1)', reason: 'a ticket', revision: first, happenedAt: records[0]?.change.at },
    ...{ scope: null, budgetId: null, deltaMicros: null, ledgerEpoch: null, open: [], openCount: null },
  });
  const keys = found.filter(({ keyName, role }) => keyName !== null || role !== null);
  expect(keys.map(({ event, subject, role, keyName }) => [event, subject, role, keyName])).toEqual([
    ['role.granted', ROLE_KEY.id, 'admin', ROLE_KEY.name],
    ['role.granted', ROLE_KEY.id, 'viewer', ROLE_KEY.name],
    ['key.issued', KEY.id, null, KEY.name],
  ]);
  const ofGlobex = await ask(recording.audit, searchControlEvents, { tenant: 'globex' });
  expect(ofGlobex).toMatchObject([
    { event: 'manifest.removed', subject: 'gone', refusal: 'NOT_FOUND' },
    { event: 'manifest.published', subject: 'team', policyVersion: 2 },
    { event: 'manifest.published', subject: 'team', policyVersion: 1 },
    { event: 'policy.published', subject: 'reads' },
  ]);
  expect(await ask(recording.audit, searchControlEvents, { tenant: 'hooli' })).toMatchObject([
    { event: 'tenant.closed', subject: 'hooli', refusal: 'TENANT_CLOSED' },
    { event: 'tenant.closed', subject: 'hooli', refusal: null },
    { event: 'tenant.put', subject: 'hooli', agentId: null },
  ]);
  const { id = '' } = found.find(({ event }) => event === 'rule.put') ?? {};
  const [whole] = await ask(recording.audit, changeById, { tenant: 'acme', id });
  expect(JSON.parse(whole?.payload ?? '')).toMatchObject({ rule: { id: 'r', policy: 'reads' } });
  expect(await ask(recording.audit, changeById, { tenant: 'globex', id })).toEqual([]);

  const names = ['reads@1', 'reads@2', 'reads@3', 'rule@0'];
  const authors = await ask(recording.audit, publications, { tenant: 'acme', names });
  expect(authors.map(({ name, by, reason }) => [name, by, reason])).toEqual([
    ['reads@1', 'ops (key_1)', 'a ticket'],
    ['reads@2', 'ann (key_2)', 'a ticket'],
  ]);
  const ofTeam = ['team@1', 'team@2', 'team.a@1', 'team.b@1', 'team.b@2'];
  const madeByManifests = await ask(recording.audit, publications, { tenant: 'globex', names: ofTeam });
  expect(madeByManifests.map(({ name, changeId }) => `${changeId} ${name}`).toSorted()).toEqual(
    [
      ...['team@1', 'team.a@1', 'team.b@1'].map((name) => `${ofGlobex[2]?.id} ${name}`),
      `${ofGlobex[1]?.id} team@2`,
    ].toSorted(),
  );
  const [hooli] = await ask(recording.audit, searchControlEvents, { tenant: 'hooli', event: 'tenant.put' });
  const limits = `tenant hooli@${hooli?.revision}`;
  expect(
    await ask(recording.audit, publications, { tenant: 'hooli', names: [limits, 'reads@1'] }),
  ).toMatchObject([{ name: limits, changeId: hooli?.id, publishedAt: hooli?.happenedAt }]);

  const narrowed = (by: object) => ask(recording.audit, searchControlEvents, { tenant: 'acme', ...by });
  expect(await narrowed({ by: 'ann (key_2)' })).toMatchObject([{ subject: 'reads', policyVersion: 2 }]);
  expect(await narrowed({ subject: 'r' })).toHaveLength(2);
  expect(await narrowed({ agentId: 'bot' })).toHaveLength(6);
  const pages = [];
  for (let last: (typeof found)[number] | undefined; ; ) {
    const before = last && { beforeMs: Date.parse(last.happenedAt), beforeId: last.id };
    const page = await narrowed({ event: 'policy.published', limit: 2, ...before });
    pages.push(...page);
    last = page.at(-1);
    if (page.length < 2) break;
  }
  expect(pages).toEqual(found.filter(({ event }) => event === 'policy.published'));

  const kept = await recording.audit.query(
    `SELECT payload FROM control_events UNION ALL SELECT base64Decode(value_base64) AS payload FROM quarantine`,
    {},
    everything,
  );
  const issued = kept.filter(({ payload }) => payload.includes('"key.issued"'));
  expect(issued).toHaveLength(2);
  expect(issued.map(({ payload }) => payload).join()).toContain(KEY.id);
  expect(kept.some(({ payload }) => payload.includes('"role":"viewer"'))).toBe(true);
  expect(kept.map(({ payload }) => payload).join()).not.toContain(HASH);
  expect(kept.some(({ payload }) => payload.includes('"maxCostTotal":5'))).toBe(true);
});

test('records each change once whenever recorders die, with the same outcome as every reader of the topic', async () => {
  const writes = Array.from({ length: 40 }, (_, n) =>
    change(
      'policy.published',
      { policy: { version: 1, id: `p${n % 3}`, maxCostTotal: n } },
      // Some changes expect the version that is current, and others expect an earlier version.
      { tenant: 'dying', ...(n % 4 === 1 && { expects: n }), ...(n % 5 === 4 && { id: `again-${n % 2}` }) },
    ),
  );
  let deeds = 0;
  const dies = (at: number) => {
    deeds += 1;
    if (deeds === at) throw new Error('died');
  };
  for (let life = 0; life < 6; life += 1) {
    await append(writes.splice(0, 5));
    deeds = 0;
    const mortal = busWith(recording.bus, {
      consume: (options) =>
        recording.bus.consume({
          ...options,
          onBatch: (batch) =>
            options.onBatch({
              ...batch,
              commit: async (offset) => {
                // The recorder inserts the rows when it commits.
                if (batch.topic === TOPICS.control) dies(1 + (life % 3));
                await batch.commit(offset);
              },
            }),
        }),
    });
    const recorder = await recording.record({ bus: mortal, maxBatch: 2, sessionTimeoutMs: 300, gatherMs: 1 });
    await expect(recorder.finished).rejects.toThrow('died');
  }
  await append(writes);
  let away = 3;
  await recordAll({
    maxBatch: 3,
    sessionTimeoutMs: 300,
    audit: {
      ...recording.audit,
      insert: async (table, rows) => {
        await recording.audit.insert(table, rows);
        // The insert succeeds, but the recorder gets an error. So it inserts the rows again.
        if (table === 'control_events' && away-- > 0)
          throw new MandateError('AUDIT_UNAVAILABLE', 'away', { remedy: '', retryable: true });
      },
    },
  });

  const fold = foldControl();
  const expected: string[] = [];
  const reader = await recording.bus.read({
    topics: [TOPICS.control],
    from: 'earliest',
    onRecords: (records) => {
      for (const { position, value } of records) {
        if (position.partition !== 0) continue;
        const record = controlRecord.parse(JSON.parse(Buffer.from(value).toString()));
        const { revision, policyVersion, refusal } = applyRecord(fold, record, position.offset + 1);
        if (record.change.tenant === 'dying') expected.push(`${revision} ${policyVersion} ${refusal ?? ''}`);
      }
    },
  });
  await reader.caughtUp;
  await reader.stop();
  const rows = await recording.audit.query(
    "SELECT revision, policy_version AS version, refusal FROM control_events FINAL WHERE tenant = 'dying' ORDER BY revision",
    {},
    z.object({ revision: z.int(), version: z.int(), refusal: z.string() }),
  );
  expect(expected).toHaveLength(40);
  expect(expected.some((row) => row.endsWith('REVISION_CONFLICT'))).toBe(true);
  expect(rows.map(({ revision, version, refusal }) => `${revision} ${version} ${refusal}`)).toEqual(expected);
});

// This test must be the last: after it, the recorder records nothing of the control topic.
test('after an unreadable change, records no later change, still records decisions, and quarantines no record of the control topic', async () => {
  const before = change('rule.removed', { ruleId: 'x' }, { tenant: 'unread' });
  await append([before]);
  await recordAll();
  const strange = { ...change('policy.published', { policy: READS }), secret: HASH };
  await append([JSON.stringify(strange), change('rule.removed', { ruleId: 'y' }, { tenant: 'unread' })]);
  const recorder = await recording.record({ gatherMs: 1 });
  await waitUntil('the partition to wait', async () => {
    const text = await recorder.metrics.registry.metrics();
    return /mandate_recorder_waits_total{.*code="LOG_UNREADABLE".*} [1-9]/.test(text);
  });
  const decision = decided(changes, { tenant: 'unread' });
  await recording.append([decision]);
  await waitUntil('the decision', async () => {
    const ids = await everyDecision(recording.audit, 'unread');
    return ids.includes(decision.decision.id);
  });
  await recorder.stop();
  expect(await ask(recording.audit, searchControlEvents, { tenant: 'unread' })).toMatchObject([
    { subject: 'x' },
  ]);
  const aside = await recording.audit.query(
    'SELECT base64Decode(value_base64) AS payload FROM quarantine',
    {},
    everything,
  );
  expect(aside.map(({ payload }) => payload).join()).not.toContain(HASH);
});
