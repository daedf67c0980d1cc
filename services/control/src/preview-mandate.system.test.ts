/** A preview answers what would happen, and changes nothing. */
import { describe, expect, test } from 'vitest';
import { AGENT, READS, RULE, scene } from './control-scene.fixture.ts';
import { NOW_MS } from './control-server.fixture.ts';

describe('a preview', () => {
  const SOON = new Date(NOW_MS + 30_000).toISOString();
  const reading = (tool: string) => ({ id: 'p', agentId: 'bot-1', type: 'tool_call', tool });

  test('reports the rules that match, and the checks of each policy', async () => {
    const { author } = await scene();
    await author('POST', '/v1/agents', AGENT);
    await author('POST', '/v1/policies', READS);
    await author('POST', '/v1/policies', { version: 1, id: 'one-file', allowedTools: ['read_file'] });
    await author('POST', '/v1/rules', RULE);
    await author('POST', '/v1/rules', { ...RULE, id: 'one', policy: 'one-file', groups: ['support'] });
    const preview = async (tool: string) =>
      (await author('POST', '/v1/mandates/preview', { action: reading(tool) })).body;
    expect(await preview('read_file')).toMatchObject({
      refusal: null,
      mandate: { policies: ['one-file@1', 'reads@1'], rules: ['all-read', 'one'] },
      matchedRules: [
        { rule: 'all-read', policy: 'reads@1', mode: 'enforce' },
        { rule: 'one', policy: 'one-file@1', mode: 'enforce' },
      ],
      appliedPolicies: [
        { name: 'reads@1', isMissing: false },
        { name: 'one-file@1', isMissing: false },
      ],
      shadow: null,
    });
    const refused = await preview('read_mail');
    expect(refused.refusal).toMatchObject({
      code: 'TOOL_NOT_ALLOWED',
      reason: expect.stringContaining('one-file@1'),
    });
    expect(refused.checks).toContainEqual(expect.objectContaining({ check: 'tool-allowed', result: 'pass' }));
  });

  test.each([
    ['2026-02-30T00:00:00Z', 'has no day 30'],
    ['2026-01-01T24:00:00Z', 'has no hour 24'],
    ['9999-12-31T23:59:59Z', 'must be in the years 1970 to 2261'],
  ])('is refused with the impossible time %s', async (at, said) => {
    const { author } = await scene();
    await author('POST', '/v1/agents', AGENT);
    await author('POST', '/v1/policies', READS);
    await author('POST', '/v1/rules', RULE);
    for (const asked of [{ action: reading('read_file') }, { agentId: 'bot-1', context: {} }]) {
      const { status, body } = await author('POST', '/v1/mandates/preview', { ...asked, at });
      expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(JSON.stringify(body.errors)).toContain(said);
    }
  });

  test('also reports the rules that bind the ancestors of a sub-agent', async () => {
    const { author } = await scene();
    await author('POST', '/v1/agents', { ...AGENT, id: 'lead' });
    await author('POST', '/v1/agents', AGENT);
    await author('POST', '/v1/policies', READS);
    await author('POST', '/v1/rules', RULE);
    const asked = { action: reading('read_file'), agent: { ...AGENT, parent: 'lead' } };
    expect((await author('POST', '/v1/mandates/preview', asked)).body).toMatchObject({
      refusal: null,
      mandate: { policies: ['reads@1', 'reads@1 of lead'], rules: ['all-read', 'all-read of lead'] },
      matchedRules: [
        { rule: 'all-read', policy: 'reads@1' },
        { rule: 'all-read', policy: 'reads@1', agent: 'lead' },
      ],
      appliedPolicies: [{ name: 'reads@1', isMissing: false }],
      limits: [{ subject: 'bot-1' }, { subject: 'lead', policy: 'reads@1 of lead', ancestor: 'lead' }],
    });
    const itsOwn = { ...asked, agent: { ...AGENT, parent: AGENT.id } };
    const { refusal } = (await author('POST', '/v1/mandates/preview', itsOwn)).body;
    expect(refusal).toMatchObject({ code: 'MANDATE_NOT_FOUND' });
  });

  test('for a context, reports the grant that would be issued, or why none would be issued', async () => {
    const { author, records } = await scene();
    await author('POST', '/v1/agents', AGENT);
    await author('POST', '/v1/policies', READS);
    const isProduction = { field: 'context.environment', op: '==', value: 'prod' };
    await author('POST', '/v1/rules', { ...RULE, when: isProduction });
    const isRead = { field: 'action.tool', op: 'starts_with', value: 'read_' };
    await author('POST', '/v1/rules', { ...RULE, id: 'open', when: isRead, endsAt: SOON });
    const before = await records();
    const asked = { agentId: 'bot-1', context: { environment: 'prod' }, ttlMs: 60_000 };
    const { body: told } = await author('POST', '/v1/mandates/preview', asked);
    expect(await records()).toEqual(before);
    expect(told).toEqual({
      grant: {
        ...{ agentId: 'bot-1', context: asked.context, rules: ['all-read'], policies: ['reads@1'] },
        expiresAt: SOON,
      },
      refusal: null,
      ttlMs: 30_000,
      matchedRules: [{ rule: 'all-read', policy: 'reads@1', mode: 'enforce' }],
      openRules: [{ rule: 'open', policy: 'reads@1', mode: 'enforce' }],
      near: [],
      appliedPolicies: [{ name: 'reads@1', isMissing: false }],
    });
    const { body: issued } = await author('POST', '/v1/grants/issue', asked);
    const { refusal: _, near: __, ...made } = told;
    expect(issued).toMatchObject(made);

    const elsewhere = {
      agentId: 'bot-1',
      context: { environment: 'test' },
      rules: [{ ...RULE, id: 'open', mode: 'shadow' }],
    };
    expect((await author('POST', '/v1/mandates/preview', elsewhere)).body).toMatchObject({
      grant: null,
      refusal: { code: 'NO_RULE_MATCHES' },
      near: [{ rule: 'all-read', why: 'context.environment is "test", and not == "prod"' }],
    });
    const gone = { ...asked, rules: [{ ...RULE, id: 'gone', policy: 'none' }] };
    expect((await author('POST', '/v1/mandates/preview', gone)).body.refusal).toMatchObject({
      code: 'POLICY_MISSING',
      reason: expect.stringContaining('"gone"'),
    });
    const misspelt = { agentId: 'bot-1', contxt: {} };
    expect((await author('POST', '/v1/mandates/preview', misspelt)).body.errors).toMatchObject([
      { pointer: '/contxt' },
    ]);
    const another = { agentId: 'bot-1', agent: { ...AGENT, id: 'bot-2' } };
    expect((await author('POST', '/v1/mandates/preview', another)).body.code).toBe('ID_DIFFERS');
  });

  test('decides under the tenant of the caller, as deciders do', async () => {
    const { author } = await scene();
    await author('POST', '/v1/agents', AGENT);
    await author('POST', '/v1/policies', READS);
    const when = { field: 'action.tenant', op: '==', value: 'acme' };
    await author('POST', '/v1/rules', { ...RULE, when });
    for (const action of [reading('read_file'), { ...reading('read_file'), tenant: 'globex' }])
      expect((await author('POST', '/v1/mandates/preview', { action })).body.mandate?.rules).toEqual([
        'all-read',
      ]);
  });

  test('with candidate documents changes nothing, and reports shadow rules separately', async () => {
    const { author, records } = await scene();
    await author('POST', '/v1/agents', AGENT);
    await author('POST', '/v1/policies', READS);
    await author('POST', '/v1/rules', RULE);
    const before = await records();
    const body = {
      action: reading('read_file'),
      policies: [{ version: 1, id: 'none', deniedTools: ['*'] }],
      rules: [{ ...RULE, id: 'soon', policy: 'none', mode: 'shadow' }],
    };
    const answer = (await author('POST', '/v1/mandates/preview?expand=policies', body)).body;
    const { refusal, shadow, matchedRules, appliedPolicies } = answer;
    expect(appliedPolicies).toContainEqual({ name: 'none@1', isMissing: false, policy: body.policies[0] });
    expect(refusal).toBeNull();
    expect(matchedRules).toContainEqual({ rule: 'soon', policy: 'none@1', mode: 'shadow' });
    expect(shadow.refusal).toMatchObject({ code: 'TOOL_DENIED' });
    expect(await records()).toEqual(before);

    const ended = { ...RULE, endsAt: new Date(NOW_MS).toISOString() };
    const later = await author('POST', '/v1/mandates/preview', {
      action: reading('read_file'),
      rules: [ended],
    });
    expect(later.body).toMatchObject({ mandate: null, refusal: { code: 'MANDATE_NOT_FOUND' } });
    const stranger = { action: { ...reading('read_file'), agentId: 'nobody' } };
    expect((await author('POST', '/v1/mandates/preview', stranger)).status).toBe(404);
  });
});
