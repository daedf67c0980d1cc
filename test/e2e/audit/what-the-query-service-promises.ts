/** The audit over HTTP: what a key may see, whole pages while rows arrive, and nothing that a filter's text could do. */
import { type AuditClient, recordDecisions } from '@mandate/audit';
import { createFindDecision } from '@mandate/query';
import { type ApiScope, type HttpServer, issueApiKey, memoryKeyStore } from '@mandate/runtime';
import {
  type ActionDecided,
  approvalId,
  type DecisionsRecord,
  TOPICS,
  topicOfTenant,
  wireTime,
} from '@mandate/schemas';
import { buildReservation } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLetterOf, decided, epochBegan, killed, republished, START_MS, settled } from './log-records.ts';
import { queryServer } from './query-server.ts';
import { type OpenTables, openRecording, type Recording } from './recording.ts';
import { analyticsAnswers } from './what-analytics-answer.ts';

/** @param openReader who asks, where that is not who records */
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

  /** Every page of a list, in the order given. */
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

  /** Of a tenant that the log tells nothing of. */
  async function record(decisions: readonly ActionDecided[]): Promise<void> {
    await recordDecisions(
      audit,
      decisions.map((record, offset) => ({
        record: record.decision,
        value: Buffer.from(JSON.stringify(record)),
        coordinate: { topic: TOPICS.decisions, partition: 0, offset },
        void: false,
        recordedAtMs: START_MS,
        traceId: null,
      })),
    );
  }

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

  const SHARED = deadLetterOf(1);
  const OURS = deadLetterOf(2, topicOfTenant('acme'));
  const THEIRS = deadLetterOf(3, topicOfTenant('globex'));
  const LETTERS = [SHARED, OURS, THEIRS, deadLetterOf(4, topicOfTenant('acme'))];
  const answered = (id: string) => ({ tenant: 'acme', answerIds: ['dec_nowhere', id] });
  const REPUBLISHED = [
    republished('rep-1', OURS.deadLetter, answered(deadLetterOf(4).deadLetter.id)),
    republished('rep-2', OURS.deadLetter, answered(decided(1).decision.id)),
    republished('rep-3', OURS.deadLetter, answered(settled(1).settlement.id)),
    republished('rep-4', OURS.deadLetter, { tenant: null, answerIds: ['dec_nowhere'] }),
    republished('rep-5', SHARED.deadLetter, answered(decided(2).decision.id)),
    republished('rep-6', THEIRS.deadLetter, {
      tenant: 'globex',
      answerIds: [decided(400, { tenant: 'globex', agentId: 'spy' }).decision.id],
    }),
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
    'an export as %s holds what a search finds, of the key’s tenant alone',
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

  describe('a search of decisions', () => {
    test.each([
      [{}, 56],
      [{ agent: 'agent-1' }, 15],
      [{ verdict: 'BLOCK' }, 11],
      [{ verdict: 'ALLOW', agent: 'agent-0', tool: 'get_user' }, 10],
      [{ code: 'TOOL_DENIED' }, 10],
      [{ tool: 'drop_admin' }, 10],
      [{ type: 'llm_call' }, 5],
      [{ kind: 'duplicate' }, 1],
      [{ actionId: 'act-1' }, 2],
      [{ actionId: 'secret-action' }, 0],
      [{ from: wireTime(START_MS + 100), to: wireTime(START_MS + 110) }, 10],
      [{ from: wireTime(START_MS + 100), to: wireTime(START_MS + 109) }, 9],
      [{ agent: 'agent-1', tool: 'no_such_tool' }, 0],
      [{ text: 'É"' }, 5],
      [{ maxChargedMicros: '0' }, 11],
      [{ from: '2020-01-01', to: '9s' }, 56],
    ])('%j finds %i', async (query, found) => {
      const { status, body } = await get('/v1/audit/decisions', query);
      expect(status).toBe(200);
      expect(body.decisions).toHaveLength(found);
    });

    test('gives what a list needs, newest first', async () => {
      const { body } = await get('/v1/audit/decisions', { type: 'llm_call', limit: '2' });
      expect(body.decisions[0]).toEqual({
        id: decided(204).decision.id,
        kind: 'first',
        actionId: 'act-204',
        attempt: 1,
        agentId: 'agent-0',
        type: 'llm_call',
        tool: null,
        model: 'claude-x',
        provider: null,
        verdict: 'ALLOW',
        code: 'ALLOWED',
        observedVerdict: null,
        observedCode: null,
        shadowVerdict: null,
        shadowCode: null,
        shadowRules: [],
        reason: 'é"\\',
        principalId: null,
        principalRole: null,
        mandateId: null,
        policies: [],
        rules: [],
        traceId: null,
        chargedMicros: 100_000,
        charged: '$0.10',
        cumulativeMicros: 100_000,
        cumulative: '$0.10',
        appendedAt: decided(204).decision.appendedAt,
        decidedAt: wireTime(START_MS + 204),
        log: { topic: TOPICS.decisions, partition: expect.any(Number), offset: expect.any(Number) },
      });
      expect(body.decisions[1].id).toBe(decided(203).decision.id);
      expect(body.next).toEqual(expect.any(String));
    });

    test('pages are whole and repeat nothing, whatever arrives meanwhile', async () => {
      let arriving = 10_000;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.array(fc.nat(400)), async (limit, ages) => {
          const before = await pages('/v1/audit/decisions', 'decisions', { limit: '1000' });
          const seen = await pages('/v1/audit/decisions', 'decisions', { limit: String(limit) }, async () => {
            // Newer than everything and, where deciders lag, between what is there already.
            const records = [...ages.splice(0, 2), 5_000].map((age) => {
              arriving += 1;
              const { decision } = decided(age, { actionId: `act-${arriving}` });
              return { ...decision, id: `${decision.id.slice(0, 14)}${String(arriving).padStart(20, 'f')}` };
            });
            await recordDecisions(
              audit,
              records.map((record) => ({
                record,
                value: Buffer.from(JSON.stringify({ event: 'action.decided', decision: record })),
                coordinate: { topic: TOPICS.decisions, partition: 0, offset: arriving },
                void: false,
                recordedAtMs: START_MS,
                traceId: null,
              })),
            );
          });
          const ids = seen.map(({ id }) => id);
          expect(ids).toEqual([...new Set(ids)].sort().reverse());
          expect(ids).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
        }),
        { numRuns: 5 },
      );
      await audit.command(
        `DELETE FROM decisions WHERE action_id IN (SELECT action_id FROM decisions WHERE length(action_id) = 9)`,
      );
    });
  });

  describe('one decision', () => {
    test('is the record as on the log, with its checks', async () => {
      const record = decided(7);
      const { status, body } = await get(`/v1/audit/decisions/${record.decision.id}`);
      expect(status).toBe(200);
      expect(body).toEqual({ ...record, log: expect.objectContaining({ topic: TOPICS.decisions }) });
    });

    test('that does not exist is 404, and so is one of another tenant', async () => {
      const missing = await get('/v1/audit/decisions/dec_0000000000');
      expect(missing).toMatchObject({ status: 404, body: { code: 'DECISION_NOT_FOUND' } });
      expect((await get(`/v1/audit/decisions/${decided(350).decision.id}`)).status).toBe(404);
      const theirs = decided(400).decision.id;
      expect((await get(`/v1/audit/decisions/${theirs}`)).status).toBe(404);
      expect((await get(`/v1/audit/decisions/${theirs}`, {}, stranger)).status).toBe(200);
    });

    test('is found by its action for the gateway', async () => {
      const find = createFindDecision(reader);
      expect(await find('acme', { actionId: 'act-1' })).toEqual(decided(1).decision);
      expect(await find('acme', { actionId: 'act-1', agentId: 'agent-1', attempt: 1 })).toEqual(
        decided(1).decision,
      );
      expect(await find('acme', { actionId: 'act-1', attempt: 2 })).toBeNull();
      expect(await find('acme', { actionId: 'act-1', agentId: 'agent-2' })).toBeNull();
      expect(await find('globex', { actionId: 'act-1' })).toBeNull();
      expect(await find('acme', { actionId: 'act-350' })).toBeNull();
    });

    test('of several for one action is the one that stands', async () => {
      const of = { tenant: 'initech', actionId: 'act-again', agentId: 'lumbergh' };
      const said = [
        decided(1, { ...of, verdict: 'DEFER', code: 'APPROVAL_REQUIRED' }),
        decided(2, { ...of, verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED' }),
        decided(3, { ...of, kind: 'duplicate', verdict: 'BLOCK', code: 'DUPLICATE_ACTION' }),
        decided(4, { ...of, attempt: 2 }),
      ];
      await record(said);
      const find = createFindDecision(reader);
      expect(await find('initech', { actionId: 'act-again' })).toEqual(said[3]?.decision);
      expect(await find('initech', { actionId: 'act-again', attempt: 1 })).toEqual(said[1]?.decision);
    });
  });

  test.each([
    ['"QUOTED"', ['quotes']],
    ['c:\\new', ['path']],
    ['\nsecond', ['lines']],
    ['n', ['path', 'lines']],
    ['5_%', []],
  ])('search by text for %j finds what the arguments hold', async (text, agents) => {
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

  test('what waits for a person: in pages, by its own id, and of the own tenant alone', async () => {
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
    expect((await get('/v1/approvals', { state: 'all' })).body).toEqual({ approvals: [], next: null });
    expect((await get('/v1/approvals', {}, publisher)).status).toBe(403);
  });

  test('settlements, by agent and action', async () => {
    expect((await get('/v1/audit/settlements')).body.settlements).toHaveLength(6);
    expect((await pages('/v1/audit/settlements', 'settlements', { limit: '2' })).map(({ id }) => id)).toEqual(
      [5, 4, 3, 2, 1, 0].map((n) => settled(n).settlement.id),
    );
    const { body } = await get('/v1/audit/settlements', { agent: 'agent-1', action: 'act-5' });
    expect(body.settlements).toMatchObject([
      { actionId: 'act-5', deltaMicros: -10_000, delta: '-$0.01', charged: '$0.09' },
    ]);
  });

  describe('analytics', () => analyticsAnswers({ get, audit: () => audit, watcher }));

  test('control events: the own and those for everyone, without what they tell of others', async () => {
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

  test("dead letters: of the tenant's own topic, and all of them for who may reach beyond it", async () => {
    const topics = async (caller: typeof auditor) =>
      (await get('/v1/audit/dead-letters', {}, caller)).body.deadLetters.map(
        ({ source }: { source: { topic: string } }) => source.topic,
      );
    expect(await topics(auditor)).toEqual([topicOfTenant('acme'), topicOfTenant('acme')]);
    expect(await topics(stranger)).toEqual([topicOfTenant('globex')]);
    expect(await topics(operator)).toEqual(
      [...LETTERS].reverse().map(({ deadLetter }) => deadLetter.source.topic),
    );
  });

  describe('a dead letter', () => {
    const show = ({ deadLetter }: typeof OURS, caller = auditor) =>
      get(`/v1/audit/dead-letters/${deadLetter.id}`, {}, caller);

    test('is shown whole, with each time it was published again and what became of that', async () => {
      const { status, body } = await show(OURS);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...OURS, text: '{', log: { topic: TOPICS.deadLetters } });
      expect(body.republications).toMatchObject([
        { id: 'rep-1', by: 'ops', reason: 'mended', corrected: true, became: { kind: 'dead-letter' } },
        { id: 'rep-2', became: { kind: 'decision', actionId: 'act-1', verdict: 'ALLOW', code: 'ALLOWED' } },
        { id: 'rep-3', became: { kind: 'settlement', actionId: 'act-1', code: 'SETTLED' } },
        { id: 'rep-4', source: { offset: '900' }, became: null },
      ]);
    });

    test('says in the list how often it was published again', async () => {
      const { body } = await get('/v1/audit/dead-letters', {}, operator);
      const times = body.deadLetters.map(({ republications }: { republications: number }) => republications);
      expect(times).toEqual([0, 1, 4, 1]);
      const ids = async (republished: string) =>
        (await get('/v1/audit/dead-letters', { republished }, operator)).body.deadLetters.map(
          ({ id }: { id: string }) => id,
        );
      expect(await ids('false')).toEqual([deadLetterOf(4).deadLetter.id]);
      expect(await ids('true')).toEqual([3, 2, 1].map((n) => deadLetterOf(n).deadLetter.id));
    });

    test("is its tenant's alone, unless one may reach beyond it; then what became of it is shown too", async () => {
      for (const letter of [SHARED, THEIRS, deadLetterOf(99)]) {
        const hidden = await show(letter);
        expect([hidden.status, hidden.body.code]).toEqual([404, 'DEAD_LETTER_NOT_FOUND']);
      }
      expect((await show(OURS, stranger)).status).toBe(404);
      expect((await show(OURS, publisher)).status).toBe(403);
      expect((await show(SHARED, operator)).body.republications).toMatchObject([
        { became: { kind: 'decision', actionId: 'act-2' } },
      ]);
      expect((await show(THEIRS, operator)).body.republications).toMatchObject([
        { became: { kind: 'decision', actionId: 'secret-action' } },
      ]);
      expect((await show(THEIRS, stranger)).body.republications).toHaveLength(1);
    });
  });

  test('sums, for the reconciler', async () => {
    const { body } = await get('/v1/audit/sums', {}, operator);
    const sum = body.agents.reduce((all: number, row: { spentMicros: number }) => all + row.spentMicros, 0);
    expect(sum).toBe(4_440_000);
    expect(body).toMatchObject({ doubled: [], keptFrom: null, next: null });
    const first = await get('/v1/audit/sums', { limit: '3' }, operator);
    const rest = await get('/v1/audit/sums', { limit: '3', cursor: first.body.next }, operator);
    expect([...first.body.agents, ...rest.body.agents]).toEqual(body.agents);
    expect((await get('/v1/audit/sums/budgets', {}, operator)).body).toEqual({ budgets: [], next: null });
  });

  test('sums of budgets come in pages, with or without a window', async () => {
    const held = { kind: 'budget', maxMicros: null } as const;
    const budgets = [
      { ...held, scope: 'agent', subject: 'gavin', id: 'daily', windowMs: 86_400_000 },
      { ...held, scope: 'agent', subject: 'gavin', id: 'total', windowMs: null },
      { ...held, scope: 'agent', subject: 'gavin', id: 'total', windowMs: 3_600_000 },
      { ...held, scope: 'tenant', subject: '', id: 'total', windowMs: null },
    ] as const;
    const reservation = buildReservation(100_000, { budgets: [...budgets] });
    const record = decided(500, { tenant: 'hooli', agentId: 'gavin', reservation });
    await recordDecisions(audit, [
      {
        record: record.decision,
        value: Buffer.from(JSON.stringify(record)),
        coordinate: { topic: TOPICS.decisions, partition: 0, offset: 500 },
        void: false,
        recordedAtMs: START_MS,
        traceId: null,
      },
    ]);
    const page = (query: Record<string, string>) => get('/v1/audit/sums/budgets', query, spender);
    const whole = (await page({})).body;
    expect(whole.budgets).toMatchObject(
      budgets.map(({ scope, subject, id, windowMs }) => ({
        scope,
        subject,
        budgetId: id,
        windowMs,
        spent: '$0.10',
      })),
    );
    const seen = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await page({ limit: '1', ...(cursor === '' ? {} : { cursor }) });
      expect([status, body.budgets?.length <= 1]).toEqual([200, true]);
      seen.push(...body.budgets);
      cursor = body.next;
    }
    expect(seen).toEqual(whole.budgets);
    const keptFrom = (atMs: number) => page({ keptFrom: new Date(atMs).toISOString() });
    expect((await keptFrom(START_MS + 500)).body).toEqual(whole);
    expect((await keptFrom(START_MS + 501)).body.budgets).toEqual([]);
  });

  const PATHS = [
    '/v1/audit/decisions',
    `/v1/audit/decisions/${decided(1).decision.id}`,
    '/v1/audit/settlements',
    '/v1/audit/analytics',
    ...['spend', 'verdicts', 'codes', 'tools', 'agents', 'models', 'principals', 'latency'].map(
      (name) => `/v1/audit/analytics/${name}`,
    ),
    ...['near-misses', 'movers', 'budgets', 'releases'].map((name) => `/v1/audit/analytics/${name}`),
    '/v1/audit/control-events',
    '/v1/audit/dead-letters',
    `/v1/audit/dead-letters/${OURS.deadLetter.id}`,
    '/v1/audit/sums',
    '/v1/audit/sums/budgets',
  ];

  describe.each(PATHS)('%s', (path) => {
    test('shows nothing of this tenant to the key of another, and nothing to a key without the scope', async () => {
      const theirs = await get(path, {}, stranger);
      expect(JSON.stringify(theirs.body)).not.toMatch(/agent-\d|act-\d|get_user|kill-mine/);
      expect((await get(path, {}, publisher)).status).toBe(403);
    });

    test('refuses a parameter that it does not know, naming those it does', async () => {
      const { status, body } = await get(path, { agnet: 'x' }, operator);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
      expect(body.detail).toContain('there is no parameter agnet; known are');
      expect((await get(path, { tenant: 'globex' }, operator)).status).toBe(400);
    });

    test('is described with its parameters, its answer and its problems', () => {
      const described = server.swagger();
      const { paths = {} } = described;
      const route = paths[path.replace(/\/(dec|dlq)_.*/, '/{id}')]?.get;
      const text = JSON.stringify(route);
      expect(text).toContain('application/problem+json');
      expect(route?.responses?.['200']).toHaveProperty('content.application/json.schema.properties');
      expect(route?.security).toHaveLength(2);
    });
  });

  describe('a filter', () => {
    const HOSTILE = [
      "'",
      "';DROP/**/TABLE/**/decisions;--",
      "'OR/**/1=1--",
      "\\'OR(1=1)--",
      "x'/**/UNION/**/ALL/**/SELECT/**/*/**/FROM/**/decisions--",
      '{tenant:String}',
      "agent-1'",
      '\\',
      '%27%20OR%201=1',
      '`decisions`',
      '$(reboot)',
      '*/decisions/*',
    ];
    const texts = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }),
    );
    const FILTERS = [
      'agent',
      'tool',
      'action',
      'verdict',
      'code',
      'type',
      'kind',
      'event',
      'from',
      'to',
      'limit',
      'cursor',
    ];

    test('is text and never SQL: it finds nothing or is refused', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...PATHS),
          fc.constantFrom(...FILTERS),
          texts,
          async (path, filter, text) => {
            fc.pre(!/^\d+$/.test(text));
            const { status, body } = await get(path, { [filter]: text }, operator);
            expect([200, 400]).toContain(status);
            if (status === 200) expect(JSON.stringify(body)).not.toMatch(/"agent-\d"|"act-\d|"get_user"/);
          },
        ),
        { numRuns: 150 },
      );
      for (const text of HOSTILE) {
        expect((await get('/v1/audit/decisions', { agent: text })).body.decisions).toEqual([]);
        expect((await get('/v1/audit/decisions', { tool: text })).body.decisions).toEqual([]);
        expect((await get(`/v1/audit/decisions/${encodeURIComponent(text)}`)).status).toBe(404);
      }
      const forged = Buffer.from(JSON.stringify([1, 'decisions', ["'OR(1=1)--"]])).toString('base64url');
      expect((await get('/v1/audit/decisions', { cursor: forged })).body.decisions).toEqual([]);
      expect((await get('/v1/audit/decisions')).body.decisions).toHaveLength(56);
    });

    test.each([
      ['limit', '0'],
      ['limit', '1001'],
      ['limit', '-1'],
      ['limit', '1e2'],
      ['limit', '0x10'],
      ['limit', ''],
      ['limit', '1.5'],
      ['from', 'yesterday'],
      ['from', '1969-12-31T23:59:59Z'],
      ['to', '2262-01-01T00:00:00Z'],
      ['verdict', 'allow'],
      ['agent', ''],
      ['agent', 'two words'],
      ['cursor', 'x'],
      ['cursor', Buffer.from('[1,"settlements",["stl_1"]]').toString('base64url')],
    ])('%s=%j is refused, and the answer says where', async (name, value) => {
      const { status, body } = await get('/v1/audit/decisions', { [name]: value });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ in: 'query', pointer: `/${name}` }],
      });
    });

    test('a cursor with a time that ClickHouse cannot hold is refused, like any that this service did not give', async () => {
      const cursor = Buffer.from(`[1,"control-events",[${Number.MAX_SAFE_INTEGER},"x"]]`).toString(
        'base64url',
      );
      const { status, body } = await get('/v1/audit/control-events', { cursor });
      expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    });

    test('given twice stands for either where it names something, and is refused elsewhere', async () => {
      const { body } = await get('/v1/audit/decisions', { agent: ['agent-1', 'nobody'] });
      expect(body.decisions).toHaveLength(15);
      expect((await get('/v1/audit/decisions', { limit: ['1', '2'] })).status).toBe(400);
      expect((await get('/v1/audit/decisions', { from: ['1h', '2h'] })).status).toBe(400);
    });

    test('a period that ends before it begins is refused', async () => {
      const { status, body } = await get('/v1/audit/decisions', { from: '1h', to: '2h' });
      expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    });
  });

  describe('ClickHouse away', () => {
    test('is 503 with a remedy, and nothing of what it said', async () => {
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

    test('or too slow is the same, in bounded time', async () => {
      const hasty = await serve(1);
      const { status, body } = await get('/v1/audit/analytics/agents', {}, auditor, hasty);
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'AUDIT_UNAVAILABLE' });
      await hasty.close();
    });
  });
}
