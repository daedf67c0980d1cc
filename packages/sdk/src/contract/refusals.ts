/** Tests calls that may not run, and agents that were killed. */
import { expect, test } from 'vitest';
import type { BlockCode, Call, MandateDocument } from '../types.ts';
import { type AgentUnder, codeOf, costing, counting, PAY, refusalOf, untilAborted } from './scene.ts';

export function refusals(agentUnder: AgentUnder): void {
  const schema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] };

  test('required arguments that are left out are refused', async () => {
    const { tools } = await agentUnder({ toolPolicies: { pay: { argumentValidation: { schema } } } });
    const { runs, pay } = counting();
    const refused = await refusalOf(tools.run('pay', {}, pay));
    expect(refused).toMatchObject({ code: 'ARGUMENT_VALIDATION_FAILED', retryable: false });
    expect(await codeOf(tools.run('pay', undefined as never, pay))).toBe('ARGUMENT_VALIDATION_FAILED');
    expect(runs()).toBe(0);
    expect(await codeOf(tools.run('pay', { to: 'ann' }, pay))).toBe('ran');
  });

  test('arguments that a validator changed are decided and run', async () => {
    const { tools } = await agentUnder({ toolPolicies: { pay: { argumentValidation: { schema } } } });
    const validate = (args: unknown) => ({ to: 'ann', ...(args as object) });
    expect(await tools.run('pay', {}, (args) => args, { validate })).toEqual({ to: 'ann' });
    const numbered = { validate: () => ({ to: 7 }) };
    expect(await codeOf(tools.run('pay', { to: 'ann' }, () => null, numbered))).toBe(
      'ARGUMENT_VALIDATION_FAILED',
    );
  });

  test.each<[string, MandateDocument, BlockCode]>([
    ['an empty list of allowed tools', { allowedTools: [] }, 'TOOL_NOT_ALLOWED'],
    ['a list without the tool', { allowedTools: ['read_*'] }, 'TOOL_NOT_ALLOWED'],
    ['a list of denied tools', { allowedTools: ['*'], deniedTools: ['pay'] }, 'TOOL_DENIED'],
    ['an expired mandate', { expiresAt: '2020-01-01T00:00:00Z' }, 'MANDATE_EXPIRED'],
  ])('%s refuses the call', async (_what, document, code) => {
    const { tools, mandate, agentId } = await agentUnder(document);
    const { runs, pay } = counting();
    const refused = await refusalOf(tools.run('pay', { to: 'ann' }, pay));
    expect(refused).toMatchObject({ code, agentId, action: { tool: 'pay', agentId } });
    expect(refused.decision).toMatchObject({ verdict: 'BLOCK', code });
    expect(refused.message).toBe(`${code}: ${refused.reason} ${refused.remedy}`);
    expect([runs(), await mandate.getCallCount(agentId)]).toEqual([0, 0]);
  });

  test('says which tools the policies refuse in every call', async () => {
    const { mandate, agentId } = await agentUnder({
      allowedTools: ['pay', 'read_*'],
      deniedTools: ['read_secret'],
      toolPolicies: { pay: { argumentValidation: { schema }, rateLimit: { maxCalls: 0, windowMs: 60_000 } } },
    });
    const asked = [
      { tool: 'pay' },
      { tool: 'pay', args: {} },
      { tool: 'pay', args: { to: 'ann' } },
      { tool: 'read_file' },
      { tool: 'read_secret' },
      { tool: 'delete' },
    ];
    const permitted = await mandate.permits(asked, { agentId });
    expect(permitted).toEqual([true, false, true, true, false, false]);
    expect(await mandate.getCallCount(agentId)).toBe(0);
  });

  test('a killed agent is refused until it is revived, and other agents are not', async () => {
    const [one, other] = [await agentUnder({}), await agentUnder({})];
    await one.mandate.kill(one.agentId, 'runaway');
    const refused = await refusalOf(one.tools.run('pay', {}, () => null));
    expect(refused.code).toBe('AGENT_KILLED');
    expect(refused.reason).toContain('runaway');
    expect(await codeOf(other.tools.run('pay', {}, () => null))).toBe('ran');
    expect(await one.mandate.isKilled(one.agentId)).toBe(true);
    expect(await one.mandate.revive(one.agentId)).toBe(true);
    expect(await codeOf(one.tools.run('pay', {}, () => null))).toBe('ran');
  });

  test('a call that was decided before a kill does not start, and costs nothing', async () => {
    const { mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const agent = mandate.agent({ agentId });
    const call: Call = { type: 'tool_call', tool: 'pay', args: {}, options: { callId: 'call-1' } };
    expect((await agent.ask(call)).decision.code).toBe('ALLOWED');
    await mandate.kill(agentId, 'runaway');
    const refused = await refusalOf(agent.start(call));
    expect(refused.code).toBe('AGENT_KILLED');
    expect(refused.reason).toContain('runaway');
    await expect.poll(async () => (await mandate.getCost(agentId)).totalMicros).toBe(0);
  });

  test('a kill aborts a running call, and its charge stays', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const started = Promise.withResolvers<void>();
    const running = tools.run('pay', {}, (_args, signal) => {
      started.resolve();
      return untilAborted({}, signal);
    });
    await started.promise;
    await mandate.kill(agentId, 'runaway');
    const refused = await refusalOf(running);
    expect(refused).toMatchObject({ code: 'AGENT_KILLED', retryable: false });
    expect(refused.reason).toContain('runaway');
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
  });
}
