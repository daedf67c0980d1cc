/** Agents, policies and rules over HTTP: a write can be read at once, and a write with an old revision is refused. */

import { describe, expect, test } from 'vitest';
import { AGENT, READS, RULE, scene } from './control-scene.fixture.ts';
import type { Sent } from './control-server.fixture.ts';

describe('agents', () => {
  test('are registered, read, changed and retired, but not with an old revision', async () => {
    const { author, auditor, records } = await scene();
    const made = await author('POST', '/v1/agents?reason=new%20here', AGENT);
    expect(made).toMatchObject({ status: 201, etag: '"1"', body: { revision: 1, agent: AGENT } });
    const shown = { revision: 1, agent: AGENT };
    expect(await auditor('GET', '/v1/agents/bot-1')).toEqual({ status: 200, etag: '"1"', body: shown });
    expect((await auditor('GET', '/v1/agents')).body).toEqual({ agents: [shown], next: null });

    const moved = { ...AGENT, groups: ['sales'] };
    const changed = await author('PUT', '/v1/agents/bot-1', moved, { 'if-match': '"1"' });
    expect(changed).toMatchObject({
      status: 200,
      etag: '"3"',
      body: { revision: 3, agent: moved, widens: [] },
    });
    const late = await author('PUT', '/v1/agents/bot-1', AGENT, { 'if-match': '"1"' });
    expect(late).toMatchObject({
      status: 409,
      body: {
        ...{ code: 'REVISION_CONFLICT', revision: 3 },
        detail: expect.stringContaining('another request changed it'),
      },
    });
    expect(await author('PUT', '/v1/agents/bot-2', { id: 'bot-2' }, { 'if-match': '"1"' })).toMatchObject({
      status: 409,
      body: {
        code: 'REVISION_CONFLICT',
        revision: 0,
        detail: 'it does not exist: it was removed, or never existed',
      },
    });
    expect((await author('GET', '/v1/agents/bot-1')).body.agent).toEqual(moved);

    expect((await author('DELETE', '/v1/agents/bot-1', undefined, { 'if-match': '"3"' })).status).toBe(200);
    expect(await author('GET', '/v1/agents/bot-1')).toMatchObject({
      status: 404,
      body: { code: 'AGENT_NOT_FOUND' },
    });
    expect(await author('DELETE', '/v1/agents/bot-1')).toMatchObject({ status: 404 });
    const [first] = await records();
    expect(first?.change).toMatchObject({
      tenant: 'acme',
      reason: 'new here',
      by: expect.stringMatching(/^of acme/),
    });
  });

  test('are registered once, and a repeated request with the same idempotency key changes nothing', async () => {
    const { author, records } = await scene();
    const key = { 'idempotency-key': 'k-1' };
    const first = await author('POST', '/v1/agents', AGENT, key);
    expect(first.body.key).toMatchObject({ key: expect.stringMatching(/^sk-mdt_/) });
    expect(await author('POST', '/v1/agents', AGENT, key)).toEqual({
      ...first,
      body: { ...first.body, key: null, widens: null },
    });
    expect(await author('POST', '/v1/agents', { ...AGENT, id: 'bot-2' }, key)).toMatchObject({
      status: 409,
      body: { code: 'ID_REUSED' },
    });
    expect(await author('POST', '/v1/agents', AGENT)).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CONFLICT', revision: 1 },
    });
    expect(new Set((await records()).map(({ change }) => change.id)).size).toBe(3);
  });

  test.each<[string, string, Sent['headers'], object, number, string]>([
    ['an unknown field', '/v1/agents/bot-1', {}, { ...AGENT, colour: 'red' }, 400, 'VALIDATION_FAILED'],
    ['another id than the path', '/v1/agents/bot-2', {}, AGENT, 400, 'ID_DIFFERS'],
    [
      'an invalid precondition',
      '/v1/agents/bot-1',
      { 'if-match': 'W/"1"' },
      AGENT,
      400,
      'INVALID_PRECONDITION',
    ],
    ['a pattern as id', '/v1/agents/airline-*', {}, { id: 'airline-*' }, 400, 'VALIDATION_FAILED'],
    ['an unknown parent', '/v1/agents/bot-1', {}, { ...AGENT, parent: 'x' }, 409, 'PARENT_UNKNOWN'],
    ['itself as its parent', '/v1/agents/bot-1', {}, { ...AGENT, parent: 'bot-1' }, 409, 'PARENT_IS_BELOW'],
    [
      'a registered id and If-None-Match',
      '/v1/agents/bot-0',
      { 'if-none-match': '*' },
      { id: 'bot-0' },
      409,
      'REVISION_CONFLICT',
    ],
  ])('are refused if they are written with %s', async (_, path, headers, body, status, code) => {
    const { author } = await scene();
    await author('POST', '/v1/agents', { id: 'bot-0' });
    expect(await author('PUT', path, body, headers)).toMatchObject({ status, body: { code } });
    expect((await author('GET', '/v1/agents')).body.agents).toHaveLength(1);
  });

  test('are listed by id in pages, even while others are registered', async () => {
    const { author } = await scene();
    for (const id of ['c', 'a', 'd', 'b']) await author('PUT', `/v1/agents/${id}`, { id });
    const ids: string[] = [];
    let next = '';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await author('GET', `/v1/agents?limit=2${next && `&cursor=${next}`}`);
      ids.push(...body.agents.map(({ agent }: { agent: { id: string } }) => agent.id));
      next = body.next;
      await author('PUT', '/v1/agents/aa', { id: 'aa' });
      if (next === null) break;
    }
    expect(ids).toEqual(['a', 'b', 'c', 'd']);
    expect(await author('GET', '/v1/agents?cursor=x')).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
  });

  test('have keys of their own, which are revoked with the agent', async () => {
    const { author, other, keys } = await scene();
    const { body } = await author('POST', '/v1/agents', AGENT);
    const second = await author('POST', '/v1/agents/bot-1/keys');
    const [one, two] = [body.key, second.body.key];
    const grant = { tenant: 'acme', agents: ['bot-1'] };
    expect(await keys.find(one.key)).toMatchObject({ ...grant, scopes: ['publish', 'report'] });
    const silent = await author('POST', '/v1/agents/bot-1/keys?report=false');
    expect(await keys.find(silent.body.key.key)).toMatchObject({ ...grant, scopes: ['publish'] });
    await author('DELETE', `/v1/agents/bot-1/keys/${silent.body.key.id}`);
    const listed = async () =>
      (await author('GET', '/v1/agents/bot-1/keys')).body.keys.map(({ id }: { id: string }) => id);
    expect(await listed()).toEqual([one.id, two.id]);

    expect((await other('DELETE', `/v1/agents/bot-1/keys/${one.id}`)).status).toBe(404);
    expect((await author('DELETE', `/v1/agents/bot-2/keys/${one.id}`)).status).toBe(404);
    expect((await author('DELETE', `/v1/agents/bot-1/keys/${one.id}`)).status).toBe(200);
    expect([await keys.find(one.key), await listed()]).toEqual([null, [two.id]]);

    expect(await keys.find(two.key)).not.toBeNull();
    await author('DELETE', '/v1/agents/bot-1');
    await author('PUT', '/v1/agents/bot-1', AGENT);
    expect([await keys.find(two.key), await listed()]).toEqual([null, []]);
    expect((await author('POST', '/v1/agents/nobody/keys')).status).toBe(404);
  });

  test('of another tenant do not exist', async () => {
    const { author, other } = await scene();
    await author('POST', '/v1/agents', AGENT);
    expect((await other('GET', '/v1/agents')).body.agents).toEqual([]);
    for (const method of ['GET', 'DELETE'])
      expect(await other(method, '/v1/agents/bot-1')).toMatchObject({ status: 404 });
    expect((await other('PUT', '/v1/agents/bot-1', { id: 'bot-1' })).status).toBe(200);
    expect((await author('GET', '/v1/agents/bot-1')).body.agent).toEqual(AGENT);
  });
});

describe('policies', () => {
  test('have versions that never change, and a rollback makes a new version of an old one', async () => {
    const { author } = await scene();
    expect((await author('POST', '/v1/policies', READS)).body).toEqual({
      ...{ revision: 1, version: 1, isArchived: false },
      ...{ policy: READS, widens: [], lint: [expect.objectContaining({ code: 'POLICY_UNUSED' })] },
    });
    const narrower = { ...READS, allowedTools: ['read_file'] };
    expect((await author('PUT', '/v1/policies/reads', narrower, { 'if-match': '"1"' })).body.version).toBe(2);
    expect((await author('GET', '/v1/policies/reads')).body.policy).toEqual(narrower);
    expect((await author('GET', '/v1/policies/reads?version=1')).body).toMatchObject({
      version: 1,
      policy: READS,
    });
    expect((await author('GET', '/v1/policies/reads?version=3')).status).toBe(404);

    const back = await author('POST', '/v1/policies/reads/rollback', { version: 1 }, { 'if-match': '"2"' });
    expect(back.body).toMatchObject({ version: 3, policy: READS, widens: ['allowedTools: + read_*'] });
    const versions = async (query: string) =>
      (await author('GET', `/v1/policies/reads/versions${query}`)).body;
    const { versions: newest, next } = await versions('?limit=2');
    const { versions: rest } = await versions(`?limit=2&cursor=${next}`);
    expect([...newest, ...rest].map(({ version, policy }) => [version, policy])).toEqual([
      [3, READS],
      [2, narrower],
      [1, READS],
    ]);
    expect((await author('GET', '/v1/policies')).body.policies).toMatchObject([{ version: 3 }]);
    expect((await author('POST', '/v1/policies/reads/rollback', { version: 9 })).status).toBe(404);
  });

  test('say what may be done in a category of memories, and which category decides each point', async () => {
    const { author } = await scene();
    const categories = { standup: { policies: { defaultTtl: 7, permissions: { delete: false } } } };
    const governance = { categories: { notes: { policies: { maxContentLength: 5_000 }, categories } } };
    await author('POST', '/v1/policies', { ...READS, governance });
    const shown = (query: string) => author('GET', `/v1/policies/reads/categories?${query}`);
    const byDefault = { value: true, from: null };
    expect((await shown('store=notes&category=standup/pinned')).body).toEqual({
      version: 1,
      store: 'notes',
      category: '/standup/pinned',
      defaultTtl: { value: 7, from: '/standup' },
      maxContentLength: { value: 5_000, from: '/' },
      permissions: { create: byDefault, update: byDefault, delete: { value: false, from: '/standup' } },
      subcategoryCreation: byDefault,
    });
    expect((await shown('store=notes')).body).toMatchObject({ category: '/', defaultTtl: { value: null } });
    expect(await shown('store=others')).toMatchObject({ status: 404, body: { code: 'STORE_NOT_FOUND' } });
    expect(await shown('store=__proto__')).toMatchObject({ status: 404, body: { code: 'STORE_NOT_FOUND' } });
    expect((await shown('store=notes&version=2')).status).toBe(404);
  });

  test('are not archived while a rule names them, unless the request forces it', async () => {
    const { author } = await scene();
    await author('POST', '/v1/policies', READS);
    await author('POST', '/v1/rules', RULE);
    const kept = await author('DELETE', '/v1/policies/reads');
    const named = { code: 'POLICY_IN_USE', detail: 'rules name this policy: "all-read"' };
    expect(kept).toMatchObject({ status: 409, body: named });
    for (let at = 0; at < 6; at++)
      await author('POST', '/v1/rules', { ...RULE, id: `z${at}`, policy: 'reads@1', agents: ['z'] });
    expect((await author('DELETE', '/v1/policies/reads')).body.detail).toBe(
      'rules name this policy: "all-read", "z0", "z1", "z2", "z3", 2 more',
    );
    for (let at = 0; at < 6; at++) await author('DELETE', `/v1/rules/z${at}`);
    const archived = await author('DELETE', '/v1/policies/reads?forced=true');
    expect(archived).toMatchObject({
      status: 200,
      body: { lint: [{ code: 'POLICY_MISSING' }, { code: 'RULE_MATCHES_NOBODY' }] },
    });
    expect((await author('GET', '/v1/policies/reads')).body).toMatchObject({
      isArchived: true,
      policy: READS,
    });
    const { findings, ...whole } = (await author('GET', '/v1/lint')).body;
    expect(whole).toEqual({ complete: true, skipped: [] });
    expect(findings).toMatchObject([
      { code: 'POLICY_MISSING', rules: ['all-read'] },
      { code: 'RULE_MATCHES_NOBODY' },
    ]);
    expect((await author('PUT', '/v1/policies/reads', READS)).body).toMatchObject({
      version: 2,
      isArchived: false,
      widens: ['rules that blocked without this policy now give it: all-read'],
    });
  });

  test('with an invalid argument schema are refused, with the position of the fault in the document', async () => {
    const { author } = await scene();
    const broken = {
      ...READS,
      toolPolicies: { look: { argumentValidation: { schema: { type: 'strnig' } } } },
    };
    const { status, body } = await author('POST', '/v1/policies', broken);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.errors[0].pointer).toMatch(/^\/toolPolicies\/look\/argumentValidation/);
  });

  test('with an entry that can match nothing, or with a limit for an unknown tool, are refused with the position of the error', async () => {
    const { author } = await scene();
    const refused = async (fields: object) => {
      const { status, body } = await author('POST', '/v1/policies', { ...READS, ...fields });
      return { status, code: body.code, errors: body.errors };
    };
    expect(await refused({ deniedTools: ['rm', 'delete_*, drop_*'] })).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/deniedTools/1', detail: expect.stringContaining('write a list with an entry') }],
    });
    expect(await refused({ tools: ['read_it'], toolPolicies: { raed_it: { cost: 1 } } })).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/toolPolicies/raed_it', detail: expect.stringContaining('"read_it"?') }],
    });
    const intents = [{ id: 'cards', triggers: { keywords: ['cards'] } }];
    expect(await refused({ governance: { intents } })).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/governance/intents', detail: expect.stringContaining('has 0 fallbacks') }],
    });
  });

  test('with a list that is probably a mistake are accepted, and the answer contains a warning', async () => {
    const { author } = await scene();
    const { status, body } = await author('POST', '/v1/policies', { ...READS, deniedTools: ['rm?'] });
    expect(status).toBe(201);
    expect(body.lint).toContainEqual(
      expect.objectContaining({ code: 'PATTERN_DOUBTFUL', policies: ['reads'], severity: 'warning' }),
    );
  });
});

describe('rules', () => {
  test('are listed in their order, and can be reordered', async () => {
    const { author } = await scene();
    for (const [id, priority] of [
      ['x', 5],
      ['y', 1],
      ['z', 5],
    ] as const)
      await author('POST', '/v1/rules', { ...RULE, id, priority });
    const inOrder = async (query = '') => {
      const { body, etag } = await author('GET', `/v1/rules${query}`);
      return { ids: body.rules.map(({ rule }: { rule: { id: string } }) => rule.id), next: body.next, etag };
    };
    expect(await inOrder()).toEqual({ ids: ['y', 'x', 'z'], next: null, etag: '"3"' });
    const { next } = await inOrder('?limit=2');
    expect((await inOrder(`?limit=2&cursor=${next}`)).ids).toEqual(['z']);

    const reorder = (ruleIds: string[], revision: number) =>
      author('PUT', '/v1/rules/reorder', { ruleIds }, { 'if-match': `"${revision}"` });
    expect((await reorder(['z', 'y', 'x'], 3)).status).toBe(200);
    expect((await inOrder()).ids).toEqual(['z', 'y', 'x']);
    expect(await reorder(['x', 'y', 'z'], 3)).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CONFLICT' },
    });
    expect(await reorder(['x', 'y'], 4)).toMatchObject({ status: 409, body: { code: 'RULES_DIFFER' } });
  });

  test('are answered with the lint findings about the rule', async () => {
    const { author } = await scene();
    await author('POST', '/v1/agents', AGENT);
    const { body } = await author('POST', '/v1/rules', { ...RULE, groups: ['nobody'] });
    expect(body.lint).toMatchObject([{ code: 'POLICY_MISSING' }, { code: 'RULE_MATCHES_NOBODY' }]);
    await author('POST', '/v1/policies', READS);
    expect((await author('PUT', '/v1/rules/all-read', RULE)).body.lint).toEqual([]);
  });

  test('report in the answer to each change what the change newly permits, compared with the state just before', async () => {
    const { author } = await scene();
    await author('POST', '/v1/policies', READS);
    const fewer = 'groups: its policy limits fewer agents or actions';
    const more = 'groups: more agents or actions get its policy';
    const put = async (groups: string[], key: string) => {
      const { body } = await author(
        'PUT',
        '/v1/rules/all-read',
        { ...RULE, groups },
        { 'idempotency-key': key },
      );
      return body.widens;
    };
    const { body } = await author('POST', '/v1/rules', RULE);
    expect(body.widens).toEqual(['it is new: it gives its policy to agents that no other rule matches']);
    expect(await put(['g'], 'one')).toEqual([fewer]);
    expect(await put(['g'], 'two')).toEqual([]);
    expect(await put(['g', 'h'], 'three')).toEqual([more]);
    expect(await put(['g'], 'one')).toBeNull();
    const removed = await author('DELETE', '/v1/rules/all-read');
    expect(removed.body).toMatchObject({
      widens: ['it is removed: it no longer limits any agent'],
      lint: [{ code: 'POLICY_UNUSED' }],
    });
  });

  test('that could never be in force are refused', async () => {
    const { author } = await scene();
    const rule = { ...RULE, startsAt: '2026-01-02T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' };
    expect((await author('POST', '/v1/rules', rule)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ in: 'body', pointer: '/endsAt' }],
    });
    const pattern = { ...RULE, when: { field: 'action.tool', op: 'matches', value: '(a+)+\\1' } };
    expect((await author('POST', '/v1/rules', pattern)).body.errors).toMatchObject([{ pointer: '/when' }]);
  });
});
