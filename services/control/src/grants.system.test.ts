/**
 * Grants over HTTP: a grant is issued once, shown, and revoked, only for its own tenant. It contains the documents
 * that are in force at the grant's log position.
 */
import { CAPS, controlRecord, wireTime } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { controlOn, NOW_MS, openLog, type Sent, type Who } from './control-server.fixture.ts';

const AGENT = { id: 'bot-1', groups: ['support'] };
const READS = { version: 1, id: 'reads', allowedTools: ['read_*'] };
const RULE = { version: 1, id: 'all-read', policy: 'reads' };

async function scene() {
  const bus = await openLog();
  const { call, passes } = await controlOn(bus);
  const as =
    (who: Who) =>
    (method: string, path: string, body?: unknown, headers: Sent['headers'] = {}) =>
      call(who, method, path, { headers, ...(body !== undefined && { body }) });
  const author = as('author');
  await author('POST', '/v1/agents', AGENT);
  await author('POST', '/v1/policies', READS);
  await author('POST', '/v1/rules', RULE);
  const issue = (fields: object = {}, headers?: Sent['headers']) =>
    author('POST', '/v1/grants/issue?reason=a%20ticket', { agentId: 'bot-1', ...fields }, headers);
  return { bus, author, auditor: as('auditor'), other: as('other'), issue, passes };
}

describe('a grant', () => {
  test('is issued for five minutes, and lists its rules and policies', async () => {
    const { issue, author, auditor } = await scene();
    await author('POST', '/v1/policies', { version: 1, id: 'small', maxCostPerCall: 1 });
    const when = { field: 'action.tool', op: '==', value: 'pay' };
    await author('POST', '/v1/rules', { ...RULE, id: 'pays-little', policy: 'small', when });
    const { status, body, etag } = await issue({ context: { environment: 'prod' } });
    expect([status, etag]).toEqual([201, `"${body.revision}"`]);
    expect(body).toMatchObject({
      grant: {
        id: expect.stringMatching(/^mnd_[0-9a-z]{30}$/),
        ...{ agentId: 'bot-1', context: { environment: 'prod' } },
        ...{ rules: ['all-read'], policies: ['reads@1'] },
        issuedBy: expect.stringMatching(/^of acme/),
        issuedAt: wireTime(NOW_MS),
        expiresAt: wireTime(NOW_MS + 5 * 60_000),
        revokedAt: null,
      },
      ttlMs: 5 * 60_000,
      matchedRules: [{ rule: 'all-read', policy: 'reads@1', mode: 'enforce' }],
      openRules: [{ rule: 'pays-little', policy: 'small@1', mode: 'enforce' }],
      appliedPolicies: [{ name: 'reads@1', isMissing: false }],
    });
    const path = `/v1/grants/${body.grant.id}`;
    expect(await auditor('GET', path)).toEqual({ status: 200, etag, body });
    const expanded = (await auditor('GET', `${path}?expand=policies`)).body;
    expect(expanded.appliedPolicies).toEqual([{ name: 'reads@1', isMissing: false, policy: READS }]);
    await author('DELETE', '/v1/policies/reads?forced=true');
    const blocked = (await auditor('GET', `${path}?expand=policies`)).body;
    expect(blocked.appliedPolicies).toEqual([{ name: 'reads@1', isMissing: true }]);
  });

  test('is revoked permanently, but not with an old revision', async () => {
    const { issue, author } = await scene();
    const { grant } = (await issue()).body;
    const revoke = (headers?: Sent['headers']) =>
      author('POST', `/v1/grants/${grant.id}/revoke`, undefined, headers);
    expect(await revoke({ 'if-match': '"1"' })).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CONFLICT' },
    });
    const revoked = await revoke();
    expect(revoked).toMatchObject({ status: 200, body: { grant: { revokedAt: wireTime(NOW_MS) } } });
    expect((await author('GET', `/v1/grants/${grant.id}`)).body).toEqual(revoked.body);
    expect((await revoke()).status).toBe(200);
    expect(await author('POST', '/v1/grants/mnd_none/revoke')).toMatchObject({
      status: 404,
      body: { code: 'GRANT_NOT_FOUND' },
    });
  });

  test('of another tenant does not exist', async () => {
    const { issue, other, author } = await scene();
    const { grant } = (await issue()).body;
    for (const [method, path] of [
      ['GET', `/v1/grants/${grant.id}`],
      ['POST', `/v1/grants/${grant.id}/revoke`],
    ] as const)
      expect(await other(method, path)).toMatchObject({ status: 404, body: { code: 'GRANT_NOT_FOUND' } });
    expect((await author('GET', `/v1/grants/${grant.id}`)).body.grant.revokedAt).toBeNull();
    expect((await other('POST', '/v1/grants/issue', { agentId: 'bot-1' })).status).toBe(404);
  });

  test('is issued once for an Idempotency-Key, whatever changes after that', async () => {
    const { issue, author } = await scene();
    const key = { 'idempotency-key': 'k-1' };
    const first = await issue({}, key);
    await author('PUT', '/v1/policies/reads', { ...READS, allowedTools: [] });
    await author('DELETE', '/v1/rules/all-read');
    const again = await issue({}, key);
    expect([again.status, again.body.grant]).toEqual([201, first.body.grant]);
    await author('POST', '/v1/rules', RULE);
    expect(await issue({ ttlMs: 1_000 }, key)).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
    const anew = await issue();
    expect(anew.body.grant).toMatchObject({ policies: ['reads@2'] });
    expect(anew.body.grant.id).not.toBe(first.body.grant.id);
    await author('DELETE', '/v1/agents/bot-1');
    await author('PUT', '/v1/agents/bot-1', AGENT);
    expect(await issue({}, key)).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
  });

  test('is made for the documents at its log position, and is made again if another service has changed them', async () => {
    const { bus, author, issue } = await scene();
    const { followed } = await controlOn(bus);
    const isLate = new Promise<void>((resolve) => {
      const append = bus.append.bind(bus);
      // A change of another service reaches the log just before the grant, so the grant was made without this change.
      bus.append = async (topic, records) => {
        bus.append = append;
        const narrower = controlRecord.parse({
          event: 'policy.published',
          change: { id: 'chg-race', tenant: 'acme', by: 'ann', reason: '', at: wireTime(NOW_MS) },
          policy: { ...READS, allowedTools: [] },
        });
        expect(await followed.change(narrower)).toMatchObject({ ok: true });
        resolve();
        return append(topic, records);
      };
    });
    const { status, body } = await issue();
    await isLate;
    expect([status, body.grant?.policies]).toEqual([201, ['reads@2']]);
    expect((await author('GET', `/v1/grants/${body.grant.id}`)).status).toBe(200);
  });

  test('is refused for an agent that does not exist, and for a malformed request', async () => {
    const { issue } = await scene();
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    const refusals: [object, number, string][] = [
      [{ agentId: 'nobody' }, 404, 'AGENT_NOT_FOUND'],
      [{ ttlMs: CAPS.grantTtlMs + 1 }, 400, 'VALIDATION_FAILED'],
      [{ ttlMs: 0 }, 400, 'VALIDATION_FAILED'],
      [{ scope: 'all' }, 400, 'VALIDATION_FAILED'],
      [{ context: { x: 'x'.repeat(CAPS.contextUnits) } }, 400, 'VALIDATION_FAILED'],
      [{ context: { x: nested(CAPS.depth + 1) } }, 400, 'VALIDATION_FAILED'],
      [{ context: { x: nested(CAPS.bodyDepth) } }, 400, 'INVALID_JSON'],
    ];
    for (const [fields, status, code] of refusals)
      expect(await issue(fields)).toMatchObject({ status, body: { code } });
  });

  test('is refused if no rule matches, or if a policy does not exist', async () => {
    const { issue, author } = await scene();
    await author('PUT', '/v1/rules/all-read', { ...RULE, groups: ['sales'] });
    expect(await issue()).toMatchObject({ status: 409, body: { code: 'NO_RULE_MATCHES' } });
    await author('PUT', '/v1/rules/all-read', RULE);
    await author('DELETE', '/v1/policies/reads?forced=true');
    expect(await issue()).toMatchObject({ status: 409, body: { code: 'POLICY_MISSING' } });
  });
});

describe('the list of grants', () => {
  const idsOf = ({ body }: { body: { grants: { grant: { id: string } }[] } }) =>
    body.grants.map(({ grant }) => grant.id);

  test('contains the valid grants, and can be filtered by agent and state, page by page', async () => {
    const { issue, author, auditor, other, passes } = await scene();
    await author('POST', '/v1/agents', { ...AGENT, id: 'bot-2' });
    const issued = async (fields: object = {}) => {
      passes(1);
      return (await issue(fields)).body.grant.id as string;
    };
    const [short, revoked, live] = [await issued({ ttlMs: 1_000 }), await issued(), await issued()];
    const others = await issued({ agentId: 'bot-2' });
    await author('POST', `/v1/grants/${revoked}/revoke`);
    passes(1_000);
    const list = async (query: string) => idsOf(await auditor('GET', `/v1/grants${query}`));
    expect(await list('')).toEqual([live, others]);
    expect(await list('?agentId=bot-1')).toEqual([live]);
    expect(await list('?state=ended')).toEqual([short]);
    expect(await list('?state=revoked')).toEqual([revoked]);
    expect(await list('?state=all&agentId=bot-2')).toEqual([others]);
    expect(idsOf(await other('GET', '/v1/grants?state=all'))).toEqual([]);

    const first = await auditor('GET', '/v1/grants?state=all&limit=3');
    expect(idsOf(first)).toEqual([short, revoked, live]);
    const rest = await auditor('GET', `/v1/grants?state=all&limit=3&cursor=${first.body.next}`);
    expect([idsOf(rest), rest.body.next]).toEqual([[others], null]);

    const { appliedPolicies, ...row } = (await auditor('GET', `/v1/grants/${live}`)).body;
    expect((await auditor('GET', '/v1/grants')).body.grants[0]).toEqual(row);
    expect((await auditor('GET', '/v1/grants?state=dead')).status).toBe(400);
  });
});
