/**
 * Tests that no row is lost. The audit returns every recorded row. A record that cannot become a row is quarantined
 * with its bytes.
 */
import { actionSnapshot, TOPICS, wireTime } from '@mandate/schemas';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  decisionOf,
  onLog,
  readOf,
  recordedDecision,
  recordedSettlement,
  START_MS,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  type ControlEvent,
  decisionById,
  epochBefore,
  quarantine,
  recordAuditReads,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordedByPartition,
  recordSettlements,
  searchControlEvents,
  searchDecisions,
  searchReads,
  tenantsRecorded,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

export function recording(make: MakeAudit): void {
  const AT = '2026-02-01T00:00:00.000Z';
  const BUDGET = { scope: 'tenant', subject: '', id: 'team', windowMs: 86_400_000 } as const;

  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  const quarantinedRow = z.object({
    log_offset: z.int(),
    meant_for: z.string(),
    reason: z.string(),
    value_base64: z.string(),
  });
  async function quarantinedOf(table: string) {
    const sql = 'SELECT * FROM quarantine FINAL WHERE meant_for = {table:String} ORDER BY log_offset';
    return audit.query(sql, { table }, quarantinedRow);
  }

  function adjusted(tenant: string, id: string, reason: string): ControlEvent {
    const operator = { id, by: 'ops', reason, at: AT };
    const ledger = { ledgerEpoch: 'e', ledgerSequence: 1 };
    return {
      event: 'budget.adjusted',
      adjustment: { ...operator, ...ledger, tenant, budget: BUDGET, deltaMicros: -5, spentMicros: 0 },
    };
  }

  function approved(tenant: string, id: string): ControlEvent {
    const operator = { id, by: 'ops', reason: 'r', at: AT };
    const ledger = { ledgerEpoch: 'e', ledgerSequence: 5 };
    const request = { tenant, agentId: 'a-1', actionId: 'act-1', digest: 'd' };
    return {
      event: 'approval.recorded',
      approval: { ...operator, ...ledger, ...request, answer: 'granted', expiresAt: AT },
    };
  }

  const recordedEvent = (record: ControlEvent, offset: number) => ({ record, ...onLog(record, offset) });

  test('returns a decision, with its payload exactly as the log contains it', async () => {
    const decision = decisionOf('found', 1, {
      ruling: { verdict: 'BLOCK', code: 'TOOL_DENIED', observed: null },
    });
    const recorded = recordedDecision(decision, 41);
    expect(await recordDecisions(audit, [recorded])).toEqual({ inserted: 1, quarantined: 0 });
    const [row] = await ask(audit, decisionById, { tenant: 'found', id: decision.id });
    expect(row?.payload).toBe(new TextDecoder().decode(recorded.value));
    expect(row).toMatchObject({
      id: decision.id,
      kind: 'first',
      actionId: 'act-1',
      attempt: 1,
      agentId: 'a-1',
      type: 'tool_call',
      tool: 'get_user',
      model: null,
      verdict: 'BLOCK',
      code: 'TOOL_DENIED',
      observedVerdict: null,
      observedCode: null,
      chargedMicros: 0,
      decidedAt: decision.decidedAt,
      logTopic: TOPICS.decisions,
      logPartition: 0,
      logOffset: 41,
      void: false,
    });
  });

  test('returns the verdict of shadow rules beside the decision', async () => {
    const of = { unknownLimits: 0, rules: ['r', 's'], policies: ['p@1'] };
    const blocked = { ...of, verdict: 'BLOCK', code: 'TOOL_DENIED' } as const;
    const unknown = { ...of, verdict: 'UNKNOWN', code: null } as const;
    const same = { ...of, verdict: 'ALLOW', code: 'ALLOWED' } as const;
    await recordDecisions(audit, [
      recordedDecision({ ...decisionOf('shadow', 0), shadow: same }, 0),
      recordedDecision(decisionOf('shadow', 1), 1),
      recordedDecision({ ...decisionOf('shadow', 2), shadow: unknown }, 2),
      recordedDecision({ ...decisionOf('shadow', 3), shadow: blocked }, 3),
    ]);
    expect(await ask(audit, searchDecisions, { tenant: 'shadow' })).toMatchObject([
      { shadowVerdict: 'BLOCK', shadowCode: 'TOOL_DENIED', shadowRules: ['r', 's'] },
      { shadowVerdict: 'UNKNOWN', shadowCode: null, shadowRules: ['r', 's'] },
      { shadowVerdict: null, shadowCode: null, shadowRules: [] },
      { shadowVerdict: 'ALLOW', shadowCode: 'ALLOWED', shadowRules: ['r', 's'] },
    ]);
    const found = async (shadow: z.input<typeof searchDecisions.params>['shadow']) =>
      (await ask(audit, searchDecisions, { tenant: 'shadow', shadow })).map(({ actionId }) => actionId);
    expect(await found(['differs'])).toEqual(['act-3']);
    expect(await found(['UNKNOWN', 'differs'])).toEqual(['act-3', 'act-2']);
    expect(await found(['ALLOW'])).toEqual(['act-0']);
  });

  test('returns the obligations, notes, violations and events of a decision, and null or nothing otherwise', async () => {
    const obligations = { stores: [{ store: 'episodic', maxResults: 5 }] };
    const notes = [{ code: 'RESULTS_CLAMPED' as const, store: 'episodic', asked: 9, given: 5 }];
    const violations = [{ rule: 'force_save', field: 'hints.save' }];
    const events = ['memory_read', 'guardrail_triggered'] as const;
    await recordDecisions(audit, [
      recordedDecision({ ...decisionOf('told', 0), obligations, notes, violations, events: [...events] }, 0),
      recordedDecision(decisionOf('told', 1), 1),
    ]);
    expect(await ask(audit, searchDecisions, { tenant: 'told' })).toMatchObject([
      { obligations: null, notes: null, violations: null, events: [] },
      {
        obligations: JSON.stringify(obligations),
        notes: JSON.stringify(notes),
        violations: JSON.stringify(violations),
        events,
      },
    ]);
    const found = await ask(audit, searchDecisions, { tenant: 'told', event: ['memory_read'] });
    expect(found.map(({ actionId }) => actionId)).toEqual(['act-0']);
  });

  test.each([
    [{ type: 'prompt', text: 'hi' }, ''],
    [{ type: 'output', text: 'hi' }, ''],
    [{ type: 'memory_read', stores: ['episodic'] }, ''],
    [{ type: 'memory_write', event: 'message_sent', text: { user: 'hi' } }, 'message_sent'],
  ] as const)('records %j with the subject "%s", and with its type', async (fields, subject) => {
    const tenant = `kind-${fields.type}`;
    const action = actionSnapshot.parse({ id: 'x', agentId: 'a-1', ...fields });
    const decision = { ...decisionOf(tenant, 0), type: fields.type, tool: null, action };
    expect(await recordDecisions(audit, [recordedDecision(decision, 0)])).toMatchObject({ inserted: 1 });
    const [row] = await ask(audit, searchDecisions, { tenant, type: [fields.type] });
    expect(row).toMatchObject({ type: fields.type, subject, tool: null, model: null });
    expect((await ask(audit, searchDecisions, { tenant, text: 'hi' })).length).toBe(
      fields.type === 'memory_read' ? 0 : 1,
    );
  });

  test('does nothing for an empty batch', async () => {
    expect(await recordDecisions(audit, [])).toEqual({ inserted: 0, quarantined: 0 });
  });

  test('quarantines a row that breaks the rules of its table, and stores the other rows', async () => {
    const good = recordedDecision(decisionOf('rules', 1), 1);
    const bad = [
      { ...decisionOf('rules', 2), chargedMicros: 2 ** 53 },
      { ...decisionOf('rules', 3), chargedMicros: -1 },
      { ...decisionOf('rules', 4), chargedMicros: 0.5 },
      { ...decisionOf('rules', 5), attempt: 2 ** 32 },
      { ...decisionOf('rules', 6), decidedAt: '9999-01-01T00:00:00Z' },
      // ClickHouse would silently wrap this number to 4,096.
      { ...decisionOf('rules', 7), chargedMicros: 2 ** 64 + 4_096 },
    ].map((decision, index) => recordedDecision(decision, 100 + index));
    expect(await recordDecisions(audit, [...bad, good])).toEqual({ inserted: 1, quarantined: 6 });
    expect(await ask(audit, searchDecisions, { tenant: 'rules' })).toHaveLength(1);
    const aside = await quarantinedOf('decisions');
    expect(aside.map(({ log_offset }) => log_offset)).toEqual([100, 101, 102, 103, 104, 105]);
    expect(aside[0]?.reason).toContain('charged_micros');
    expect(aside.map(({ value_base64 }) => value_base64)).toEqual(
      bad.map(({ value }) => Buffer.from(value).toString('base64')),
    );
  });

  test('finds the rows that ClickHouse refuses among many, stores the others, and is idempotent', async () => {
    const events = Array.from({ length: 60 }, (_, index) =>
      recordedEvent(
        adjusted('refused', `adj-${index}`, [0, 17, 18, 59].includes(index) ? 'lone \ud800' : 'fine'),
        200 + index,
      ),
    );
    for (let times = 0; times < 2; times += 1) {
      expect(await recordControlEvents(audit, events)).toEqual({ inserted: 56, quarantined: 4 });
      const [counted] = await audit.query(
        'SELECT count() AS rows, uniqExact(id) AS ids FROM control_events FINAL WHERE tenant = {tenant:String}',
        { tenant: 'refused' },
        z.object({ rows: z.int(), ids: z.int() }),
      );
      expect(counted).toEqual({ rows: 56, ids: 56 });
      const aside = await quarantinedOf('control_events');
      expect(aside.map(({ log_offset }) => log_offset)).toEqual([200, 217, 218, 259]);
    }
  });

  test('has tables that refuse an amount that overflowed', async () => {
    const wrapped =
      "INSERT INTO decisions (tenant, id, charged_micros) SETTINGS async_insert = 0 VALUES ('w', 'w', -1)";
    await expect(audit.command(wrapped)).rejects.toThrow(/charge_is_safe/);
  });

  test('quarantines nothing while the server fails, so that the batch can be recorded later', async () => {
    await audit.command('RENAME TABLE settlements TO settlements_away');
    const settlement = settlementOf(decisionOf('ill', 1), { settledAt: AT });
    const batch = [recordedSettlement(settlement, 300)];
    await expect(recordSettlements(audit, batch)).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
    });
    await audit.command('RENAME TABLE settlements_away TO settlements');
    expect(await recordSettlements(audit, batch)).toEqual({ inserted: 1, quarantined: 0 });
    expect(await quarantinedOf('settlements')).toEqual([]);
  });

  test('stores a row for every control event, and finds the epoch before a log position', async () => {
    const operator = { by: 'ops', reason: 'r', at: AT };
    const epoch = (id: string, generation?: number): ControlEvent => ({
      event: 'ledger.epoch',
      epoch: { id, ...(generation === undefined ? {} : { generation }), previous: null, reason: 'r', at: AT },
    });
    const events: ControlEvent[] = [
      {
        event: 'agent.killed',
        kill: {
          ...operator,
          id: 'kill-1',
          target: { scope: 'agent', tenant: 'control', agentId: 'a-1' },
          revision: 1,
          ledgerEpoch: 'e',
          ledgerSequences: { control: 4 },
          openCount: 0,
          open: [],
        },
      },
      { event: 'agent.revived', revive: { ...operator, id: 'rev-1', target: { scope: 'all' }, revision: 2 } },
      adjusted('control', 'adj-1', 'r'),
      approved('control', 'app-1'),
      epoch('epoch-1'),
      epoch('epoch-2', Number.MAX_SAFE_INTEGER),
    ];
    const batch = events.map((event, index) => recordedEvent(event, 400 + index));
    const elsewhere = {
      ...recordedEvent(epoch('epoch-1'), 7),
      position: { topic: TOPICS.decisions, partition: 1, offset: 7 },
    };
    expect(await recordControlEvents(audit, [...batch, elsewhere, ...batch])).toEqual({
      inserted: 13,
      quarantined: 0,
    });
    const rows = await audit.query(
      "SELECT event, id, tenant, scope, agent_id FROM control_events FINAL WHERE tenant IN ('control', '') ORDER BY log_partition, log_offset",
      {},
      z.object({
        event: z.string(),
        id: z.string(),
        tenant: z.string(),
        scope: z.string(),
        agent_id: z.string(),
      }),
    );
    expect(rows).toEqual([
      { event: 'agent.killed', id: 'kill-1', tenant: 'control', scope: 'agent', agent_id: 'a-1' },
      { event: 'agent.revived', id: 'rev-1', tenant: '', scope: 'all', agent_id: '' },
      { event: 'budget.adjusted', id: 'adj-1', tenant: 'control', scope: '', agent_id: '' },
      { event: 'approval.recorded', id: 'app-1', tenant: 'control', scope: '', agent_id: 'a-1' },
      { event: 'ledger.epoch', id: 'epoch-1', tenant: '', scope: '', agent_id: '' },
      { event: 'ledger.epoch', id: 'epoch-2', tenant: '', scope: '', agent_id: '' },
      { event: 'ledger.epoch', id: 'epoch-1', tenant: '', scope: '', agent_id: '' },
    ]);
    const overtaken = { ...recordedEvent(epoch('epoch-3', 7), 406), void: true };
    await recordControlEvents(audit, [overtaken]);
    const before = async (partition: number, offset: number) => {
      const [row] = await ask(audit, epochBefore, { topic: TOPICS.decisions, partition, offset });
      return row;
    };
    const generation = Number.MAX_SAFE_INTEGER;
    expect(await before(0, 405)).toEqual({ ledgerEpoch: 'epoch-1', generation: 0, through: 404 });
    expect(await before(0, 406)).toEqual({ ledgerEpoch: 'epoch-2', generation, through: 405 });
    expect(await before(0, 407)).toEqual({ ledgerEpoch: 'epoch-2', generation, through: 406 });
    expect(await before(1, 7)).toEqual({ ledgerEpoch: null, generation: 0, through: null });
    expect(await before(1, 8)).toEqual({ ledgerEpoch: 'epoch-1', generation: 0, through: 7 });
  });

  test('stores the request and the answer of an approval, and leaves both empty for other events', async () => {
    const events = [approved('approving', 'app-2'), adjusted('approving', 'adj-2', 'r')];
    await recordControlEvents(
      audit,
      events.map((event, index) => recordedEvent(event, 500 + index)),
    );
    const found = (event: ControlEvent['event']) =>
      ask(audit, searchControlEvents, { tenant: 'approving', event });
    expect(await found('approval.recorded')).toMatchObject([
      { id: 'app-2', agentId: 'a-1', actionId: 'act-1', digest: 'd', answer: 'granted' },
    ]);
    expect(await found('budget.adjusted')).toMatchObject([
      { id: 'adj-2', actionId: null, digest: null, answer: null },
    ]);
  });

  test('counts dead letters and quarantined records by partition, and counts a repeat once', async () => {
    const deadLetter = {
      id: 'dlq_1',
      source: { topic: TOPICS.actions, partition: 3, offset: Number.MAX_SAFE_INTEGER },
      key: null,
      fault: { code: 'INVALID_ACTION', reason: 'no', remedy: 'yes', pointer: '/action', line: 1, column: 2 },
      valueBase64: 'e30=',
      truncated: false,
      bytes: 2,
      appendedAt: AT,
      at: AT,
    } as const;
    const twice = [5, 6].map((offset) => ({
      record: deadLetter,
      ...onLog({ event: 'dead.letter', deadLetter }, offset),
      position: { topic: TOPICS.deadLetters, partition: 0, offset },
    }));
    expect(await recordDeadLetters(audit, twice)).toEqual({ inserted: 2, quarantined: 0 });
    const unreadable = {
      meantFor: '',
      reason: 'not JSON',
      value: Uint8Array.of(0xff, 0, 0x7b),
      recordedAtMs: Date.parse(AT),
    };
    const position = { topic: TOPICS.deadLetters, partition: 2, offset: 8 };
    await quarantine(audit, [{ ...unreadable, position }]);
    await quarantine(audit, [{ ...unreadable, position, recordedAtMs: Date.parse(AT) + 1 }]);
    expect((await quarantinedOf(''))[0]?.value_base64).toBe('/wB7');
    const counted = await ask(audit, recordedByPartition, {});
    expect(counted.filter(({ logTopic }) => logTopic === TOPICS.deadLetters)).toEqual([
      {
        table: 'dead_letters',
        logTopic: TOPICS.deadLetters,
        logPartition: 0,
        rows: 1,
        voidRows: 0,
        lastOffset: 5,
      },
      {
        table: 'quarantine',
        logTopic: TOPICS.deadLetters,
        logPartition: 2,
        rows: 1,
        voidRows: 0,
        lastOffset: 8,
      },
    ]);
  });

  test('finds reads by key, route and time, newest first, in pages, and each read once', async () => {
    const reads = Array.from({ length: 6 }, (_, n) => readOf('read', n));
    const odd = readOf('read', 6, {
      route: '/v1/audit/decisions',
      parameters: { agent: ['a-1', "o'brien\\"], text: 'é"' },
      refused: true,
      code: 'FORBIDDEN',
      traceId: 'f'.repeat(32),
    });
    const theirs = readOf('unread', 7);
    const nobodys = readOf('read', 8, { tenant: null, key: null, refused: true, code: 'UNAUTHENTICATED' });
    const batch = [...reads, odd, theirs, nobodys].map((record, n) => ({ record, ...onLog({}, 600 + n) }));
    for (let times = 0; times < 2; times += 1)
      expect(await recordAuditReads(audit, batch)).toEqual({ inserted: 9, quarantined: 0 });

    const found = async (asked: object = {}) =>
      (await ask(audit, searchReads, { tenant: 'read', ...asked })).map(({ requestId }) => requestId);
    const all = ['req-6', 'req-5', 'req-4', 'req-3', 'req-2', 'req-1', 'req-0'];
    expect(await found()).toEqual(all);
    expect(await found({ keyId: 'key-1' })).toEqual(['req-5', 'req-3', 'req-1']);
    expect(await found({ route: '/v1/audit/decisions' })).toEqual(['req-6']);
    expect(await found({ notRoute: ['/v1/audit/decisions', '/v1/other'] })).toEqual(all.slice(1));
    expect(await found({ requestId: 'req-2' })).toEqual(['req-2']);
    expect(await found({ refused: true })).toEqual(['req-6']);
    expect(await found({ refused: false })).toEqual(all.slice(1));
    expect(await ask(audit, searchReads, { tenant: '' })).toMatchObject([
      { requestId: 'req-8', tenant: null, keyId: null, keyName: null, code: 'UNAUTHENTICATED' },
    ]);
    expect(await found({ fromMs: START_MS + 2, toMs: START_MS + 4 })).toEqual(['req-3', 'req-2']);
    expect(await found({ limit: 2, before: reads[4]?.id })).toEqual(['req-3', 'req-2']);
    const [row] = await ask(audit, searchReads, { tenant: 'read', limit: 1 });
    expect(row).toEqual({
      id: odd.id,
      tenant: 'read',
      keyId: 'key-0',
      keyName: 'auditor',
      method: 'GET',
      route: '/v1/audit/decisions',
      parameters: odd.parameters,
      refused: true,
      code: 'FORBIDDEN',
      requestId: 'req-6',
      traceId: 'f'.repeat(32),
      at: odd.at,
      logTopic: TOPICS.decisions,
      logPartition: 0,
      logOffset: 606,
    });
  });

  test('stores a batch whose records span many years', async () => {
    const decisions = Array.from({ length: 240 }, (_, month) =>
      decisionOf('years', month, { appendedAtMs: Date.UTC(2006, month) }),
    );
    const batch = decisions.map((decision, offset) => recordedDecision(decision, 1_000 + offset));
    expect(await recordDecisions(audit, batch)).toEqual({ inserted: 240, quarantined: 0 });
    expect(await ask(audit, searchDecisions, { tenant: 'years', limit: 1_000 })).toHaveLength(240);
  });

  test('lists the tenants that have records', async () => {
    await recordDecisions(audit, [
      recordedDecision({ ...decisionOf('zebra', 1), appendedAt: wireTime(0) }, 900),
    ]);
    const tenants = (await ask(audit, tenantsRecorded, {})).map(({ tenant }) => tenant);
    expect(tenants).toEqual([...tenants].sort());
    expect(tenants).toContain('zebra');
  });
}
