import { isMandateError } from '@mandate/runtime';
import { describe, expect, test } from 'vitest';
import { Mandate } from './index.ts';
import { readMandate } from './policy.ts';

function faultOf(run: () => unknown): { code: string; message: string } {
  try {
    run();
  } catch (error) {
    if (isMandateError(error)) return error;
    throw error;
  }
  throw new Error('it did not throw');
}

describe('a mandate in the code', () => {
  test('that has faults is refused with all of them', () => {
    const mandate = {
      maxCostTotal: '10.00',
      maxCostPerCall: -1,
      allowedTool: ['*'],
      rateLimit: { maxCalls: 1 },
    };
    const { code, message } = faultOf(() => new Mandate({ agentId: 'bot', mandate: mandate as never }));
    expect(code).toBe('MANDATES_INVALID');
    expect(
      message
        .split('\n')
        .slice(1)
        .map((line) => line.split(':')[0])
        .sort(),
    ).toEqual(['allowedTool', 'maxCostPerCall', 'maxCostTotal', 'rateLimit.windowMs']);
  });

  test('that has no fault of shape is refused with the faults of its content', () => {
    const schema = { type: 'object', properties: { to: { type: 'string', pattern: '(' } } };
    const { message } = faultOf(() =>
      readMandate({ toolPolicies: { pay: { argumentValidation: { schema } } } }, 'bot'),
    );
    expect(message).toContain('toolPolicies.pay.argumentValidation.schema');
    const intents = [{ id: 'chat', triggers: { fallback: true } }];
    const twice = [...intents, { id: 'talk', triggers: { fallback: true } }];
    const { message: ofIntents } = faultOf(() =>
      readMandate({ governance: { intents: twice } } as never, 'bot'),
    );
    expect(ofIntents).toContain('governance.intents: has 2 fallbacks: give exactly one intent');
    expect(readMandate({ governance: { intents } } as never, 'bot').reference.id).toBe('bot');
  });

  test('may have the fields of a file, but must name its own agent', () => {
    expect(readMandate({ version: 1, id: 'support', agents: ['b*'] }, 'bot').reference.id).toBe('support');
    expect(faultOf(() => readMandate({ agents: ['other'] }, 'bot')).message).toContain('names other agents');
  });

  test('without an agent is for every agent', async () => {
    const mandate = new Mandate({ mandate: { deniedTools: ['shell'] } });
    expect(await mandate.createExecutor({ agentId: 'any' }).run('read', {}, () => 1)).toBe(1);
  });
});

describe('several mandates of one agent', () => {
  const runs = (mandate: Mandate, tool: string) =>
    mandate
      .createExecutor({ agentId: 'bot' })
      .run(tool, {}, () => 'ran')
      .catch(({ code }) => code);

  test('apply together, in whatever order they are stated', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: { allowedTools: ['read', 'write'] } });
    expect([await runs(mandate, 'write')]).toEqual(['ran']);
    mandate.createExecutor({ mandate: { deniedTools: ['write'] } });
    mandate.createExecutor({ mandate: { maxCostTotal: 1, toolPolicies: { read: { cost: 0.6 } } } });
    expect([await runs(mandate, 'write'), await runs(mandate, 'shell')]).toEqual([
      'TOOL_DENIED',
      'TOOL_NOT_ALLOWED',
    ]);
    expect([await runs(mandate, 'read'), await runs(mandate, 'read')]).toEqual([
      'ran',
      'COST_LIMIT_EXCEEDED',
    ]);
  });

  test('that are equal count as one, so an executor may be created for each request', async () => {
    const mandate = new Mandate({ agentId: 'bot' });
    for (let request = 0; request < 100; request += 1) {
      mandate.createExecutor({ mandate: { allowedTools: ['read'] } });
    }
    expect(await runs(mandate, 'read')).toBe('ran');
  });

  test('are limited in number', () => {
    const mandate = new Mandate({ agentId: 'bot' });
    const state = (at: number) => mandate.createExecutor({ mandate: { maxCostTotal: at } });
    for (let at = 0; at < 32; at += 1) state(at);
    expect(faultOf(() => state(32)).code).toBe('SDK_MISUSED');
  });

  test('an agent without a mandate may do nothing', async () => {
    expect(await runs(new Mandate(), 'read')).toBe('MANDATE_NOT_FOUND');
    const ofOther = new Mandate({ agentId: 'other', mandate: {} });
    expect(await runs(ofOther, 'read')).toBe('MANDATE_NOT_FOUND');
  });
});
