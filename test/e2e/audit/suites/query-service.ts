/**
 * Tests the audit over HTTP: what a key may see, that pages are complete while rows arrive, and that harmful text in
 * filters does no harm.
 */
import { type AuditClient, recordDecisions } from '@mandate/audit';
import {
  type ActionDecided,
  type ApiScope,
  approvalId,
  type DecisionsRecord,
  TOPICS,
} from '@mandate/schemas';
import { type HttpServer, issueApiKey, memoryKeyStore } from '@mandate/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decided, epochBegan, killed, START_MS, settled } from '../support/log-records.ts';
import type { Scene } from '../support/query-scene.ts';
import { queryServer } from '../support/query-server.ts';
import { type OpenTables, openRecording, type Recording } from '../support/recording.ts';
import { analyticsAnswers } from './analytics.ts';
import { deadLettersAnswer, LETTERS, OURS, REPUBLISHED } from './dead-letters.ts';
import { decisionsAnswer } from './decisions.ts';
import { filtersAnswer } from './filters.ts';
import { sumsAnswer } from './sums.ts';

/** @param openReader opens the client for queries, if it differs from the client that records */
export function queryPromises(
  open: OpenTables,
  openReader: (recorded: AuditClient) => Promise<AuditClient> = async (recorded) => recorded,
): void {
  const issue = (tenant: string, ...scopes: ApiScope[]) =>
    issueApiKey({ tenant, scopes, agents: ['*'], name: scopes.join() });
  const auditor = issue('acme', 'audit');
  const operator = issue('acme', 'audit', 'operate', 'operate:all');
  const publisher = issue('acme', 'publish');
  const stranger = issue('globex', 'audit', 'operate');
  const spender = issue('hooli', 'operate');
  const watcher = issue('soylent', 'audit');
  const answerer = issue('aviato', 'operate');
  const searcher = issue('searched', 'audit');

  let recording: Recording;
  let audit: AuditClient;
  let reader: AuditClient;
  let server: HttpServer;

  function serve(timeoutMs = 10_000): Promise<HttpServer> {
    const keys = [auditor, operator, publisher, stranger, spender, watcher, answerer, searcher].map(
      ({ record }) => record,
    );
    return queryServer(reader, memoryKeyStore(keys), { timeoutMs });
  }

  async function get(
    path: string,
    query: Record<string, string | string[]> = {},
    { key } = auditor,
    from = server,
  ) {
    const answer = await from.inject({ method: 'GET', url: path, query, headers: { 'x-api-key': key } });
    return { status: answer.statusCode, body: answer.json() };
  }

  /** Returns every page of a list, in order. */
  async function pages(
    path: string,
    list: string,
    query: Record<string, string>,
    between = async () => {},
    caller = auditor,
  ) {
    const rows: { id: string; agentId: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await get(path, { ...query, ...(cursor === '' ? {} : { cursor }) }, caller);
      expect(status).toBe(200);
      rows.push(...body[list]);
      cursor = body.next;
      await between();
    }
    return rows;
  }

  /** Records decisions of a tenant that has no other decisions on the log. */
  async function record(decisions: readonly ActionDecided[]): Promise<void> {
    await recordDecisions(
      audit,
      decisions.map((record, offset) => ({
        record: record.decision,
        value: Buffer.from(JSON.stringify(record)),
        position: { topic: TOPICS.decisions, partition: 0, offset },
        void: false,
        recordedAtMs: START_MS,
        traceId: null,
      })),
    );
  }

  const scene: Scene = {
    ...{ get, pages, record },
    audit: () => audit,
    reader: () => reader,
    keys: { auditor, operator, publisher, stranger, spender, watcher },
  };

  const BLOCKED = { verdict: 'BLOCK', code: 'TOOL_DENIED', chargedMicros: 0, tool: 'drop_admin' } as const;
  const HISTORY: DecisionsRecord[] = [
    ...Array.from({ length: 40 }, (_, n) => decided(n)),
    ...Array.from({ length: 10 }, (_, n) => decided(100 + n, BLOCKED)),
    ...Array.from({ length: 5 }, (_, n) =>
      decided(200 + n, { type: 'llm_call', tool: null, model: 'claude-x', reason: 'é"\\' }),
    ),
    decided(300, {
      kind: 'duplicate',
      verdict: 'BLOCK',
      code: 'DUPLICATE_ACTION',
      agentId: 'agent-1',
      actionId: 'act-1',
      chargedMicros: 0,
    }),
    ...Array.from({ length: 6 }, (_, n) => settled(n)),
    killed('kill-mine', { scope: 'agent', tenant: 'acme', agentId: 'agent-1' }),
    killed('kill-theirs', { scope: 'agent', tenant: 'globex', agentId: 'spy' }),
    killed('kill-all', { scope: 'all' }),
    decided(350, { ledgerEpoch: 'ep-0', agentId: 'agent-void' }),
    decided(400, { tenant: 'globex', agentId: 'spy', tool: 'their_tool', actionId: 'secret-action' }),
  ];

  beforeAll(async () => {
    recording = await openRecording(undefined, open);
    ({ audit } = recording);
    reader = await openReader(audit);
    server = await serve();
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
    await recording.append(HISTORY);
    await recording.bus.append(
      TOPICS.deadLetters,
      [...LETTERS, ...REPUBLISHED].map((record) => ({ key: null, value: JSON.stringify(record) })),
    );
    const recorder = await recording.record();
    await recorder.caughtUp();
  });
  afterAll(async () => {
    await server.close();
    await reader.close();
    await recording.close();
  });

  test.each(['ndjson', 'csv', 'parquet'])(
    'an export as %s contains the rows of a search, of the key’s tenant only',
    async (format) => {
      const headers = { 'x-api-key': auditor.key };
      const answer = await server.inject({ url: '/v1/audit/export', query: { format }, headers });
      expect(answer.statusCode).toBe(200);
      expect(answer.payload).not.toContain('their_tool');
      if (format === 'ndjson') expect(answer.payload.trim().split('\n')).toHaveLength(56);
      if (format === 'csv') expect(answer.payload.trim().split('\r\n')).toHaveLength(57);
      if (format === 'parquet') expect(answer.rawPayload.subarray(-4).toString()).toBe('PAR1');
    },
  );

  describe('decisions', () => decisionsAnswer(scene));

  test.each([
    ['"QUOTED"', ['quotes']],
    ['c:\\new', ['path']],
    ['\nsecond', ['lines']],
    ['n', ['path', 'lines']],
    ['5_%', []],
  ])('a search for the text %j finds it in the arguments', async (text, agents) => {
    const held = { quotes: 'a "quoted" word', path: 'C:\\new', lines: 'first\nsecond', percent: '50%' };
    const asked = Object.entries(held).map(([agentId, held], at) =>
      decided(600 + at, {
        ...{ tenant: 'searched', agentId, reason: '' },
        action: { id: `act-${at}`, agentId, type: 'tool_call', tool: 'put', args: { '': held } },
      }),
    );
    await record(asked);
    const { status, body } = await get('/v1/audit/decisions', { text }, searcher);
    expect(status).toBe(200);
    expect(body.decisions.map(({ agentId }: { agentId: string }) => agentId).toReversed()).toEqual(agents);
  });

  test('lists questions that wait for a person, as pages and one question by id, of the key’s tenant only', async () => {
    const deferred = {
      tenant: 'aviato',
      verdict: 'DEFER',
      code: 'APPROVAL_REQUIRED',
      agentId: 'erlich',
    } as const;
    const asked = [0, 1, 2].map((n) => decided(500 + n, { ...deferred, actionId: `ask-${n}`, digest: 'd' }));
    await record([...asked, decided(510, { tenant: 'aviato', agentId: 'erlich', actionId: 'ask-1' })]);
    const waiting = await pages('/v1/approvals', 'approvals', { limit: '1' }, undefined, answerer);
    expect(waiting).toMatchObject(
      [2, 0].map((n) => ({ decisionId: asked[n]?.decision.id, args: { n: 500 + n }, decided: null })),
    );
    // The count is the same on each page, and without a second question.
    for (const query of [{ limit: '1' }, { state: 'all', limit: '1' }, {}])
      expect((await get('/v1/approvals', query, answerer)).body.waiting).toBe(waiting.length);
    expect((await get('/v1/approvals', { agent: 'nobody' }, answerer)).body.waiting).toBe(0);
    const all = (await get('/v1/approvals', { state: 'all', agent: 'erlich' }, answerer)).body.approvals;
    expect(all.map(({ decided }: { decided: object | null }) => decided !== null)).toEqual([
      false,
      true,
      false,
    ]);
    for (const { id } of waiting) {
      expect((await get(`/v1/approvals/${id}`, {}, answerer)).body).toMatchObject({ id });
      for (const other of [
        id.slice(0, -1),
        approvalId({ agentId: 'erlich', actionId: 'ask-0', digest: 'e' }),
      ])
        expect((await get(`/v1/approvals/${other}`, {}, answerer)).status).toBe(404);
      const theirs = await get(`/v1/approvals/${id}`, {}, auditor);
      expect([theirs.status, theirs.body.code]).toEqual([404, 'APPROVAL_NOT_FOUND']);
    }
    expect((await get('/v1/approvals', { state: 'all' })).body).toEqual({
      ...{ approvals: [], waiting: 0, next: null },
    });
    expect((await get('/v1/approvals', {}, publisher)).status).toBe(403);
  });

  test('lists settlements by agent and action', async () => {
    expect((await get('/v1/audit/settlements')).body.settlements).toHaveLength(6);
    expect((await pages('/v1/audit/settlements', 'settlements', { limit: '2' })).map(({ id }) => id)).toEqual(
      [5, 4, 3, 2, 1, 0].map((n) => settled(n).settlement.id),
    );
    const { body } = await get('/v1/audit/settlements', { agent: 'agent-1', action: 'act-5' });
    expect(body.settlements).toMatchObject([
      { actionId: 'act-5', deltaMicros: -10_000, delta: '-$0.01', charged: '$0.09' },
    ]);
  });

  describe('analytics', () => analyticsAnswers(scene));

  test('lists control events of the tenant and of all tenants, without details of other tenants', async () => {
    const { body } = await get('/v1/audit/control-events');
    const ids = body.events.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual(['ep-1', 'kill-all', 'kill-mine']);
    expect(JSON.stringify(body)).not.toMatch(/globex|secret-action|spy/);
    const paged = await pages('/v1/audit/control-events', 'events', { limit: '1' });
    expect(paged.map(({ id }) => id).sort()).toEqual(ids);
    expect(
      (await get('/v1/audit/control-events', { event: 'agent.killed', agent: 'agent-1' })).body.events,
    ).toHaveLength(1);
  });

  describe('dead letters', () => deadLettersAnswer(scene));

  describe('sums', () => sumsAnswer(scene));

  const PATHS = [
    '/v1/audit/decisions',
    `/v1/audit/decisions/${decided(1).decision.id}`,
    '/v1/audit/settlements',
    '/v1/audit/analytics',
    ...['spend', 'verdicts', 'codes', 'tools', 'agents', 'models', 'principals', 'latency'].map(
      (name) => `/v1/audit/analytics/${name}`,
    ),
    ...['near-misses', 'movers', 'budgets', 'releases', 'tokens'].map(
      (name) => `/v1/audit/analytics/${name}`,
    ),
    '/v1/audit/control-events',
    '/v1/audit/dead-letters',
    `/v1/audit/dead-letters/${OURS.deadLetter.id}`,
    '/v1/audit/sums',
    '/v1/audit/sums/budgets',
  ];

  describe.each(PATHS)('%s', (path) => {
    test('shows nothing of this tenant to another tenant’s key, and nothing to a key without the scope', async () => {
      const theirs = await get(path, {}, stranger);
      expect(JSON.stringify(theirs.body)).not.toMatch(/agent-\d|act-\d|get_user|kill-mine/);
      expect((await get(path, {}, publisher)).status).toBe(403);
    });

    test('refuses an unknown parameter, and lists the known ones', async () => {
      const { status, body } = await get(path, { agnet: 'x' }, operator);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
      expect(body.detail).toContain('there is no parameter agnet; known are');
      expect((await get(path, { tenant: 'globex' }, operator)).status).toBe(400);
    });

    test('is described in the OpenAPI document with its parameters, its answer and its problems', () => {
      const described = server.swagger();
      const { paths = {} } = described;
      const route = paths[path.replace(/\/(dec|dlq)_.*/, '/{id}')]?.get;
      const text = JSON.stringify(route);
      expect(text).toContain('application/problem+json');
      expect(route?.responses?.['200']).toHaveProperty('content.application/json.schema.properties');
      expect(route?.security).toHaveLength(2);
    });
  });

  describe('a filter', () => filtersAnswer(scene, PATHS));

  describe('while ClickHouse is away', () => {
    test('a request is answered with 503 and a remedy, without ClickHouse’s own message', async () => {
      await audit.command('RENAME TABLE decisions TO decisions_away');
      try {
        const { status, body } = await get('/v1/audit/decisions');
        expect(status).toBe(503);
        expect(body).toMatchObject({
          code: 'AUDIT_UNAVAILABLE',
          remedy: expect.stringContaining('Ask again'),
        });
        expect(JSON.stringify(body)).not.toMatch(/decisions_away|DB::|default/);
      } finally {
        await audit.command('RENAME TABLE decisions_away TO decisions');
      }
      expect((await get('/v1/audit/decisions')).status).toBe(200);
    });

    test('a request that takes too long is answered with 503 too', async () => {
      const hasty = await serve(1);
      const { status, body } = await get('/v1/audit/analytics/agents', {}, auditor, hasty);
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'AUDIT_UNAVAILABLE' });
      await hasty.close();
    });
  });
}
