/**
 * Tests that a grant allows what the rules allowed in its context when it was issued, no more than that, and nothing
 * after its end.
 */
import { wireTime } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { codeOf, governed, TTL_MS, tenant } from './tenant-with-grants.ts';

describe('a grant', () => {
  test('keeps the policy versions that it was issued with; without the grant the latest versions apply', () => {
    const { issue, policy, ask } = governed({ allowedTools: ['read'] });
    expect(issue('1')).toBe(true);
    policy({ allowedTools: [] });
    const under = ask({ mandateId: 'mnd_1' });
    expect(under).toMatchObject({
      refusal: null,
      mandate: { id: 'mnd_1', rules: ['r'], policies: ['p@1'] },
      holdsUntilMs: START_MS + TTL_MS,
    });
    expect(ask()).toMatchObject({ refusal: { code: 'TOOL_NOT_ALLOWED' }, mandate: { policies: ['p@2'] } });
    expect(ask({ mandateId: 'rules' }).mandate).toEqual(ask().mandate);
  });

  test('keeps the rules that it was issued with, and gets no later rules', () => {
    const { issue, put, policy, rule, ask } = governed({ allowedTools: ['read'] });
    issue('1');
    policy({ id: 'none', allowedTools: [] });
    rule({ id: 's', policy: 'none' });
    put({ event: 'rule.removed', ruleId: 'r' });
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
    expect(ask({ mandateId: 'mnd_1' }).mandate?.rules).toEqual(['r']);
    expect(codeOf(ask())).toBe('TOOL_NOT_ALLOWED');
  });

  test('of a sub-agent is limited by what its ancestors may do at the moment', () => {
    const { issue, put, agent, policy, rule, ask } = governed({ allowedTools: ['read'] });
    agent({ id: 'lead' });
    agent({ parent: 'lead' });
    expect(issue('1')).toBe(true);
    const under = () => ask({ mandateId: 'mnd_1' });
    expect(under()).toMatchObject({
      refusal: null,
      mandate: { id: 'mnd_1', policies: ['p@1', 'p@1 of lead'] },
      holdsUntilMs: START_MS + TTL_MS,
    });
    policy({ id: 'none', allowedTools: [] });
    rule({ id: 's', policy: 'none', agents: ['lead'] });
    expect(codeOf(under())).toBe('TOOL_NOT_ALLOWED');
    put({ event: 'agent.retired', agentId: 'lead' });
    expect(codeOf(under())).toBe('MANDATE_NOT_FOUND');
  });

  test('ends at its time, can be revoked at once, and blocks if one of its policies is archived', () => {
    const { issue, revoke, archive, policy, ask } = governed();
    issue('1');
    issue('2');
    const under = (id: string, atMs?: number) => ask({ mandateId: `mnd_${id}` }, atMs);
    expect(codeOf(under('1', START_MS + TTL_MS - 1))).toBe('ALLOWED');
    expect(under('1', START_MS + TTL_MS)).toMatchObject({
      refusal: { code: 'MANDATE_EXPIRED', final: true },
      holdsFromMs: START_MS + TTL_MS,
      holdsUntilMs: null,
    });
    revoke('1');
    expect(under('1').refusal).toMatchObject({
      code: 'MANDATE_EXPIRED',
      reason: expect.stringContaining('was revoked'),
      remedy: expect.stringContaining('/v1/grants/issue'),
    });
    expect(codeOf(under('2'))).toBe('ALLOWED');
    archive();
    expect(codeOf(under('2'))).toBe('MANDATE_NOT_FOUND');
    policy();
    expect(under('2')).toMatchObject({ refusal: null, mandate: { policies: ['p@1'] } });
  });

  test('is valid for one agent and one tenant only, and ends when the agent is retired', () => {
    const { issue, put, agent, ask, mandates } = governed();
    agent({ id: 'other' });
    issue('1');
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
    expect(codeOf(ask({ agentId: 'other' }))).toBe('ALLOWED');
    const strange = ask({ agentId: 'other', mandateId: 'mnd_1' });
    const none = ask({ agentId: 'other', mandateId: 'mnd_2' });
    expect(JSON.stringify(strange).replaceAll('mnd_1', 'mnd_2')).toBe(JSON.stringify(none));
    expect(none).toMatchObject({ refusal: { code: 'MANDATE_NOT_FOUND' }, mandate: null });
    const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'read', mandateId: 'mnd_1' } as const;
    expect(mandates.mandateFor('globex', action, START_MS).mandate).toBeNull();
    put({ event: 'agent.retired', agentId: 'bot' });
    agent();
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('MANDATE_NOT_FOUND');
    expect(codeOf(ask())).toBe('ALLOWED');
  });

  test('is valid for its context only: values that an action leaves out are taken from it, and an action may not contradict them', () => {
    const { issue, policy, rule, ask } = governed();
    policy({ id: 'careful', allowedTools: ['read'] });
    rule({ id: 's', policy: 'careful', when: { field: 'context.environment', op: '==', value: 'prod' } });
    issue('prod', { environment: 'prod' });
    issue('dev', { environment: 'dev' });
    issue('any');
    const send = (id: string, context?: Record<string, string>) =>
      codeOf(ask({ tool: 'send', mandateId: `mnd_${id}`, ...(context && { context }) }));
    expect(send('prod')).toBe('TOOL_NOT_ALLOWED');
    expect(send('prod', { ticket: '1' })).toBe('TOOL_NOT_ALLOWED');
    expect(send('prod', { environment: 'dev' })).toBe('MANDATE_NOT_FOUND');
    expect(send('dev')).toBe('ALLOWED');
    // This grant has another context. Since the action names a grant, the rules without the grant do not apply
    // either.
    expect(send('dev', { environment: 'prod' })).toBe('MANDATE_NOT_FOUND');
    expect(send('any')).toBe('ALLOWED');
    expect(send('any', { environment: 'prod' })).toBe('TOOL_NOT_ALLOWED');
  });

  test('ends if its agent or an ancestor gets another parent or is registered again', () => {
    const { agent, policy, rule, issue, put, ask } = tenant();
    const whole = () => {
      agent({ id: 'boss' });
      agent({ id: 'lead', parent: 'boss' });
      agent({ parent: 'lead' });
    };
    whole();
    policy();
    rule();
    policy({ id: 'none', allowedTools: [] });
    rule({ id: 's', policy: 'none', agents: ['boss'] });
    const moves = [
      () => agent(),
      () => agent({ id: 'lead' }),
      () => {
        put({ event: 'agent.retired', agentId: 'lead' });
        agent({ id: 'lead' });
      },
    ];
    for (const [at, move] of moves.entries()) {
      whole();
      issue(`${at}`);
      agent({ parent: 'lead', name: 'a bot' });
      expect(codeOf(ask({ mandateId: `mnd_${at}` }))).toBe('TOOL_NOT_ALLOWED');
      move();
      expect(codeOf(ask({ mandateId: `mnd_${at}` }))).toBe('MANDATE_NOT_FOUND');
    }
  });

  test('of a sub-agent also applies its context to the rules of the ancestors', () => {
    const { agent, policy, rule, issue, ask } = tenant();
    agent({ id: 'lead' });
    agent({ parent: 'lead' });
    policy({ allowedTools: ['read', 'send'] });
    rule();
    policy({ id: 'careful', allowedTools: ['read'] });
    const when = { field: 'context.environment', op: '==', value: 'prod' };
    rule({ id: 's', policy: 'careful', agents: ['lead'], when });
    issue('prod', { environment: 'prod' });
    issue('any');
    const send = (id: string, context?: Record<string, string>) =>
      codeOf(ask({ tool: 'send', mandateId: `mnd_${id}`, ...(context && { context }) }));
    expect(send('prod', { environment: 'prod' })).toBe('TOOL_NOT_ALLOWED');
    expect(send('prod')).toBe('TOOL_NOT_ALLOWED');
    expect(send('any')).toBe('ALLOWED');
  });

  test('evaluates rules with conditions on the action for each action, with the rules from the time of issuing', () => {
    const { issue, put, policy, rule, ask } = governed();
    policy({ id: 'small', maxCostPerCall: 1 });
    rule({ id: 's', policy: 'small', when: { field: 'action.tool', op: '==', value: 'pay' } });
    issue('1');
    put({ event: 'rule.removed', ruleId: 's' });
    policy({ id: 'small', maxCostPerCall: 100 });
    const dear = { mandateId: 'mnd_1', estimatedCostMicros: 2_000_000 };
    expect(ask({ ...dear, tool: 'pay' })).toMatchObject({
      refusal: { code: 'COST_LIMIT_EXCEEDED' },
      mandate: { rules: ['r', 's'], policies: ['p@1', 'small@1'] },
    });
    expect(ask({ ...dear, tool: 'read' })).toMatchObject({ refusal: null, mandate: { policies: ['p@1'] } });
  });

  test('with only rules that have conditions on the action allows what one of these rules matches', () => {
    const { agent, policy, rule, issue, ask } = tenant();
    agent();
    policy();
    expect(issue('1')).toBe(false);
    rule({ when: { field: 'action.tool', op: '==', value: 'read' } });
    expect(issue('1')).toBe(true);
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
    expect(ask({ mandateId: 'mnd_1', tool: 'send' }).refusal).toMatchObject({
      code: 'MANDATE_NOT_FOUND',
      reason: expect.stringContaining('No rule of the grant'),
    });
  });

  test('ends when a rule that could match begins or ends', () => {
    const at = (ms: number) => wireTime(START_MS + ms);
    const { agent, policy, rule, grant, issue, ask } = tenant();
    agent();
    policy();
    rule({ startsAt: at(-1_000), endsAt: at(60_000) });
    expect(grant('1')?.expiresAt).toBe(at(60_000));
    rule({ id: 'elsewhere', agents: ['other'], endsAt: at(1_000) });
    rule({ id: 'not-now', when: { field: 'context.a', op: 'exists' }, startsAt: at(20_000) });
    expect(grant('1', { a: '1' })?.expiresAt).toBe(at(20_000));
    issue('1', { a: '1' });
    expect(ask({ mandateId: 'mnd_1' })).toMatchObject({ refusal: null, holdsUntilMs: START_MS + 20_000 });
    // By this clock, which is behind, the rule has not begun yet.
    expect(codeOf(ask({ mandateId: 'mnd_1' }, START_MS - 1_001))).toBe('MANDATE_NOT_FOUND');
    expect(codeOf(ask({ mandateId: 'mnd_1' }, START_MS - 1_000))).toBe('ALLOWED');
  });

  test('does not fix shadow rules: the present ones apply to the present agent, with the context of the grant', () => {
    const { issue, revoke, agent, policy, rule, put, ask } = governed();
    issue('1', { environment: 'prod' });
    const told = () => ask({ mandateId: 'mnd_1' }).shadow;
    policy({ id: 'none', deniedTools: ['*'] });
    const when = { field: 'context.environment', op: '==', value: 'prod' };
    rule({ id: 's', policy: 'none', mode: 'shadow', groups: ['support'], when });
    expect(told()).toBeUndefined();
    agent({ groups: ['support'] });
    expect(ask({ mandateId: 'mnd_1' })).toMatchObject({ refusal: null, mandate: { rules: ['r'] } });
    expect(told()).toMatchObject({ code: 'TOOL_DENIED', rules: ['s'], policies: ['none@1'] });
    expect(ask().shadow).toBeUndefined();
    policy({ id: 'none', allowedTools: ['read'] });
    expect(told()).toMatchObject({ code: null, policies: ['none@2'] });
    policy({ allowedTools: [] });
    expect(told()).toMatchObject({ code: null });
    put({ event: 'rule.removed', ruleId: 's' });
    expect(told()).toBeUndefined();
    rule({ id: 's', policy: 'none', mode: 'shadow' });
    revoke('1');
    expect(told()).toBeUndefined();
  });

  test('reports what shadow rules would allow, even if no rule of the grant matches the action', () => {
    const { agent, policy, rule, issue, ask } = tenant();
    agent({ id: 'lead' });
    agent({ parent: 'lead' });
    policy();
    rule({ id: 'of-lead', agents: ['lead'] });
    rule({ agents: ['bot'], when: { field: 'action.tool', op: '==', value: 'read' } });
    rule({ id: 's', agents: ['bot'], mode: 'shadow' });
    issue('1');
    expect(ask({ mandateId: 'mnd_1', tool: 'send' })).toMatchObject({
      refusal: { code: 'MANDATE_NOT_FOUND', reason: expect.stringContaining('No rule of the grant') },
      shadow: { code: null, rules: ['s'] },
    });
  });

  test('is refused if a rule names a policy that does not exist', () => {
    const { rule, issue } = governed();
    rule({ id: 's', policy: 'gone' });
    expect(issue('1')).toBe(false);
    rule({ id: 's', policy: 'gone', mode: 'shadow' });
    expect(issue('1')).toBe(true);
  });
});
