/** Tests how agent manifests are published, compared, published again and removed over HTTP. */
import { gateDocument } from '@mandate/schemas/agent-manifest';
import { describe, expect, test } from 'vitest';
import { controlOn, openLog } from './control-server.fixture.ts';
import { GRAPH, MANIFEST, NARROWER, WIDER } from './manifests.fixture.ts';

type Control = Awaited<ReturnType<typeof controlOn>>;

async function scene(options: Parameters<typeof controlOn>[1] = {}) {
  const control = await controlOn(await openLog(), options);
  const publish = (
    manifest: string,
    {
      query = '',
      ...rest
    }: { query?: string; files?: object; options?: object; headers?: Record<string, string> } = {},
  ) => {
    const { headers = {}, ...body } = rest;
    return control.call('author', 'POST', `/v1/manifests${query}`, { body: { manifest, ...body }, headers });
  };
  return { ...control, publish };
}

const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);

async function inForce({ call }: Control) {
  const of = async (what: string) => (await call('author', 'GET', `/v1/${what}`)).body[what];
  const policies = await of('policies');
  return {
    agents: idsOf((await of('agents')).map((one: { agent: object }) => one.agent)),
    policies: idsOf(
      policies
        .filter((one: { isArchived: boolean }) => !one.isArchived)
        .map((one: { policy: object }) => one.policy),
    ),
    rules: idsOf((await of('rules')).map((one: { rule: object }) => one.rule)),
  };
}

const ALL = { agents: ['support-team', 'support-team.clerk'] };

describe('publishing a manifest', () => {
  test('makes its agents, policies and rules, and answers what was published', async () => {
    const { publish, call } = await scene();
    const { status, body, etag } = await publish(MANIFEST, { query: '?reason=ticket%20815' });
    expect({ status, etag }).toEqual({ status: 201, etag: '"1"' });
    expect(body).toMatchObject({
      ...{ id: 'support-team', version: 1, revision: 1, since: null, changes: [], highest: null },
      documents: expect.arrayContaining([{ does: 'add', kind: 'agent', id: 'support-team.clerk' }]),
    });
    const { body: shown } = await call('auditor', 'GET', '/v1/manifests/support-team');
    expect(shown).toMatchObject({
      ...{ id: 'support-team', version: 1, hash: body.hash, isRemoved: false, reason: 'ticket 815' },
      manifest: { apiVersion: 'coreason.ai/v2', metadata: { name: 'Support Team', version: '1.2.0' } },
      ...ALL,
    });
    const { body: policy } = await call('auditor', 'GET', '/v1/policies/support-team.clerk');
    expect(policy.policy).toMatchObject({
      allowedTools: ['refund', 'search'],
      allowedModels: ['claude-haiku-4-5'],
      toolPolicies: { refund: { requiresConfirmation: true } },
    });
  });

  test('compares it with the version before, marks wider changes, and removes documents that it no longer has', async () => {
    const control = await scene();
    const { publish, call } = control;
    await publish(NARROWER);
    const { body: wider } = await publish(MANIFEST);
    expect(wider).toMatchObject({ version: 2, since: 1 });
    expect(wider.changes).toContainEqual(
      expect.objectContaining({ category: 'FEATURE', change: 'added', widens: true }),
    );
    expect(wider.widens.join('\n')).toContain('policy support-team.clerk: ');
    const { body: risk } = await publish(WIDER);
    expect(risk.changes).toContainEqual({
      ...{ path: 'definitions.refund.risk_level', category: 'GOVERNANCE', change: 'changed', widens: true },
    });
    const { body: narrower } = await publish(NARROWER);
    expect(narrower).toMatchObject({ version: 4, widens: [], highest: 'BREAKING' });
    const { body: policy } = await call('author', 'GET', '/v1/policies/support-team.clerk');
    expect(policy.policy.allowedTools).toEqual(['search']);

    const { body: versions } = await call('author', 'GET', '/v1/manifests/support-team/versions?limit=3');
    expect(versions.versions.map((one: { version: number }) => one.version)).toEqual([4, 3, 2]);
    const rest = await call('author', 'GET', `/v1/manifests/support-team/versions?cursor=${versions.next}`);
    expect(rest.body).toMatchObject({ versions: [{ version: 1 }], next: null });
    const { body: third } = await call('author', 'GET', '/v1/manifests/support-team/versions/3');
    expect(third.manifest.definitions.refund.risk_level).toBe('safe');
    const { body: diff } = await call('author', 'GET', '/v1/manifests/support-team/diff?from=2&to=3');
    expect(diff).toEqual({ changes: risk.changes, highest: 'GOVERNANCE', widens: true });
    const { body: latest } = await call('author', 'GET', '/v1/manifests/support-team/diff?from=4');
    expect(latest).toEqual({ changes: [], highest: null, widens: false });
  });

  test('accepts a graph recipe after its agents are published, and compares its versions', async () => {
    const { publish, call } = await scene();
    const early = await publish(GRAPH);
    expect(early).toMatchObject({
      status: 422,
      body: { faults: [{ code: 'REFERENCE_MISSING', path: 'topology.nodes.0.agent_ref', line: 7 }] },
    });
    await publish(MANIFEST);
    expect(await publish(GRAPH)).toMatchObject({ status: 201, body: { id: 'desk', version: 1 } });
    const { body: policy } = await call('auditor', 'GET', '/v1/policies/desk');
    expect(policy.policy).toMatchObject({
      allowedTools: ['step.answer', 'step.check'],
      toolPolicies: { 'step.check': { requiresConfirmation: true } },
    });
    const unasked = GRAPH.replace(/ {4}- \{ type: human.*\n/, '').replace(/edges: .*/, 'edges: []');
    const { body: wider } = await publish(unasked);
    expect(wider).toMatchObject({ version: 2, since: 1 });
    expect(wider.changes).toContainEqual(expect.objectContaining({ widens: true }));

    await call('author', 'DELETE', '/v1/manifests/support-team');
    const back = await call('author', 'POST', '/v1/manifests/desk/rollback', { body: { version: 1 } });
    expect(back).toMatchObject({ status: 422, body: { faults: [{ code: 'REFERENCE_MISSING' }] } });
  });

  test('only checks and compares with dryRun', async () => {
    const { publish, followed } = await scene();
    const { status, body } = await publish(MANIFEST, { query: '?dryRun=true' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: 'support-team', version: 1, revision: 0, isPublished: false },
    });
    expect(followed.revision()).toBe(0);
  });

  test('accepts files, and keeps the files that a run needs', async () => {
    const { publish, call } = await scene();
    const manifest = `${MANIFEST.replace('  search: {', '  search: { $ref: "tools.yaml#/search" }\n  other: {').replace('{ type: agent, agent: clerk }', '{ type: agent, agent: clerk, next: score }')}    score: { type: logic, code: score.py }\n`;
    const tools = 'search: { type: tool, name: Search, uri: "mcp://search.example/v2", risk_level: safe }\n';
    const code = 'def run(inputs, state, steps):\n    return {}\n';
    const missing = await publish(manifest, { files: { 'tools.yaml': tools } });
    expect(missing).toMatchObject({
      status: 422,
      body: { faults: [{ code: 'REF_MISSING', path: 'workflow.steps.score.code' }] },
    });
    const { status, body } = await publish(manifest, { files: { 'tools.yaml': tools, 'score.py': code } });
    expect(status, JSON.stringify(body)).toBe(201);
    const { body: shown } = await call('author', 'GET', '/v1/manifests/support-team');
    expect(shown.files).toEqual({ 'score.py': code });
    expect(shown.manifest.definitions.search.uri).toBe('mcp://search.example/v2');
    const { body: again } = await publish(manifest, {
      files: { 'tools.yaml': tools, 'score.py': `${code}#` },
    });
    expect(again.changes).toEqual([
      { path: 'files.score.py', category: 'GOVERNANCE', change: 'changed', widens: null },
    ]);
  });

  test('accepts options of the compilation', async () => {
    const { publish, call } = await scene();
    const { body } = await publish(MANIFEST, { options: { id: 'team-two', maxCostTotal: 5 } });
    expect(body).toMatchObject({ id: 'team-two' });
    const { body: policy } = await call('author', 'GET', '/v1/policies/team-two');
    expect(policy.policy.maxCostTotal).toBe(5);
    const { body: more } = await publish(MANIFEST, { options: { id: 'team-two', maxCostTotal: 50 } });
    expect(more.changes).toEqual([
      { path: 'options.maxCostTotal', category: 'GOVERNANCE', change: 'changed', widens: true },
    ]);
    expect(more.widens).toEqual([expect.stringContaining('policy team-two: ')]);
    const { body: less } = await publish(MANIFEST, { options: { id: 'team-two', maxCostTotal: 4 } });
    expect(less.changes).toMatchObject([{ path: 'options.maxCostTotal', widens: false }]);
    const { body: diff } = await call('author', 'GET', '/v1/manifests/team-two/diff?from=1&to=2');
    expect(diff).toEqual({ changes: more.changes, highest: 'GOVERNANCE', widens: true });
  });

  test('takes effect once for one Idempotency-Key', async () => {
    const { publish } = await scene();
    const headers = { 'idempotency-key': 'once' };
    const first = await publish(MANIFEST, { headers });
    const second = await publish(MANIFEST, { headers });
    expect(second).toMatchObject({
      status: 201,
      body: { version: 1, revision: first.body.revision, widens: null },
    });
    expect(await publish(WIDER, { headers })).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
  });

  test('is refused if the manifest changed since the revision of If-Match', async () => {
    const { publish } = await scene();
    const first = await publish(MANIFEST, { headers: { 'if-none-match': '*' } });
    expect(first.status).toBe(201);
    const late = await publish(WIDER, { headers: { 'if-match': '"9"' } });
    expect(late).toMatchObject({ status: 409, body: { code: 'REVISION_CONFLICT', revision: 1 } });
    expect(await publish(WIDER, { headers: { 'if-match': first.etag ?? '' } })).toMatchObject({
      status: 201,
    });
  });

  test('reports the faults of a manifest with their places, and publishes nothing', async () => {
    const { publish, followed } = await scene();
    const { status, body } = await publish(MANIFEST.replace('risk_level: critical', 'risk_level: hight'));
    expect({ status, body }).toMatchObject({
      status: 422,
      body: {
        code: 'MANIFEST_INVALID',
        faults: [
          { code: 'VALUE_WRONG', file: 'manifest.yaml', path: 'definitions.refund.risk_level', line: 7 },
        ],
      },
    });
    expect(await publish(MANIFEST.replace('Support Team', '…'))).toMatchObject({
      status: 422,
      body: { faults: [{ code: 'COMPILE_ID_NEEDED', line: null }] },
    });
    expect(await publish(MANIFEST, { options: { colour: 1 } })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
    expect(followed.revision()).toBe(0);
  });
});

describe('the gate', () => {
  const gate = gateDocument.parse({ max_risk_level: 'standard' });

  test('refuses a manifest, with every violation', async () => {
    const { publish, followed } = await scene({ gate });
    expect(await publish(MANIFEST)).toMatchObject({
      status: 422,
      body: { code: 'GATE_VIOLATED', violations: [{ rule: 'risk_level_restriction', component: 'refund' }] },
    });
    expect(followed.revision()).toBe(0);
    expect(await publish(NARROWER)).toMatchObject({ status: 201 });
  });

  test('is asked again before an earlier version is published again', async () => {
    const bus = await openLog();
    const before = await controlOn(bus);
    await before.call('author', 'POST', '/v1/manifests', { body: { manifest: MANIFEST } });
    await before.call('author', 'POST', '/v1/manifests', { body: { manifest: NARROWER } });
    const { call } = await controlOn(bus, { gate });
    const body = { version: 1 };
    expect(await call('author', 'POST', '/v1/manifests/support-team/rollback', { body })).toMatchObject({
      status: 422,
      body: { code: 'GATE_VIOLATED' },
    });
  });
});

test('publishes an earlier version again, with the documents that it had', async () => {
  const { publish, call } = await scene();
  await publish(MANIFEST, { options: { maxCostTotal: 5 } });
  await publish(NARROWER);
  const rolled = await call('author', 'POST', '/v1/manifests/support-team/rollback?reason=oops', {
    body: { version: 1 },
  });
  expect(rolled).toMatchObject({ status: 201, body: { version: 3, since: 2, warnings: [] } });
  const { body: shown } = await call('author', 'GET', '/v1/manifests/support-team');
  expect(shown).toMatchObject({ version: 3, reason: 'oops', options: { maxCostTotal: 5 } });
  const { body: policy } = await call('author', 'GET', '/v1/policies/support-team.clerk');
  expect(policy.policy.allowedTools).toEqual(['refund', 'search']);
  const body = { version: 9 };
  expect(await call('author', 'POST', '/v1/manifests/support-team/rollback', { body })).toMatchObject({
    status: 404,
    body: { code: 'MANIFEST_NOT_FOUND' },
  });
});

test('removes a manifest with its documents, and keeps its versions', async () => {
  const control = await scene();
  const { publish, call } = control;
  await publish(MANIFEST);
  expect((await inForce(control)).agents).toEqual(ALL.agents);
  const rule = { version: 1, id: 'mine', policy: 'support-team.clerk' };
  await call('author', 'POST', '/v1/rules', { body: rule });
  expect(await call('author', 'DELETE', '/v1/manifests/support-team')).toMatchObject({
    status: 409,
    body: { code: 'POLICY_IN_USE', detail: expect.stringContaining('"mine"') },
  });
  expect(await publish(MANIFEST.replaceAll('clerk', 'helper'))).toMatchObject({
    status: 409,
    body: { code: 'POLICY_IN_USE', detail: expect.stringContaining('"mine"') },
  });
  await call('author', 'DELETE', '/v1/rules/mine');
  expect(await call('author', 'DELETE', '/v1/manifests/support-team')).toMatchObject({ status: 200 });
  expect(await inForce(control)).toEqual({ agents: [], policies: [], rules: [] });
  expect(await call('author', 'DELETE', '/v1/manifests/support-team')).toMatchObject({ status: 404 });
  const { body } = await call('author', 'GET', '/v1/manifests');
  expect(body.manifests).toMatchObject([{ id: 'support-team', isRemoved: true, version: 1 }]);
  expect(await call('author', 'GET', '/v1/manifests/support-team/versions/1')).toMatchObject({ status: 200 });
  expect(await publish(MANIFEST)).toMatchObject({ status: 201, body: { version: 2, since: null } });
  expect((await inForce(control)).agents).toEqual(ALL.agents);
});

test('never takes over documents of others, and names them', async () => {
  const { publish, call } = await scene();
  await call('author', 'POST', '/v1/agents', { body: { id: 'support-team.clerk' } });
  expect(await publish(MANIFEST)).toMatchObject({
    status: 409,
    body: { code: 'ID_TAKEN', detail: expect.stringContaining('agent "support-team.clerk"') },
  });
});

test('a tenant sees nothing of another tenant, and a key without the scope may not publish', async () => {
  const { publish, call } = await scene();
  await publish(MANIFEST);
  expect((await call('other', 'GET', '/v1/manifests')).body).toEqual({ manifests: [], next: null });
  for (const path of ['', '/versions', '/versions/1', '/diff?from=1'])
    expect(await call('other', 'GET', `/v1/manifests/support-team${path}`)).toMatchObject({ status: 404 });
  expect(await call('other', 'DELETE', '/v1/manifests/support-team')).toMatchObject({ status: 404 });
  expect(await call('other', 'POST', '/v1/manifests', { body: { manifest: NARROWER } })).toMatchObject({
    status: 201,
    body: { version: 1 },
  });
  for (const who of ['auditor', 'operator'] as const)
    expect(await call(who, 'POST', '/v1/manifests', { body: { manifest: WIDER } })).toMatchObject({
      status: 403,
    });
});
