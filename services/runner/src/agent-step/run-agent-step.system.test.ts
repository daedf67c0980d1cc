/** Tests the step of an agent on a real plane, with a model server and a real MCP server. */
import type { Json } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAgentStep } from './run-agent-step.ts';
import {
  depsOf,
  type Family,
  journal,
  type Scene,
  scripted,
  startScene,
  stepOf,
  toolOf,
} from './scene.fixture.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

const look = { name: 'look', args: { customer: 'Ada' } };
const pay = { name: 'pay', args: { customer: 'Ada', amount: 3 } };

type Changes = {
  step?: Parameters<typeof stepOf>[2];
  deps?: Parameters<typeof depsOf>[3];
  actionId?: string;
};

/** Runs a step. `log` has all events, including those of the history. */
async function run(family: Family, { step = {}, deps = {}, actionId }: Changes = {}) {
  const id = actionId ?? (await family.begin());
  const log = journal(step.history ?? []);
  const result = await runAgentStep(
    stepOf(family, id, step),
    depsOf(scene, family, id, { journal: log, ...deps }),
  );
  return { actionId: id, result, log: log.log };
}

/** The messages of the newest request to the model server. */
function newestMessages(): { role: string; content: string }[] {
  return scene.models.requests.at(-1)?.body.messages;
}

type Decided = { decision: Record<string, Json> };

async function decisionOf(actionId: string) {
  const path = `/v1/actions/${encodeURIComponent(actionId)}`;
  return (await scene.operator.get<Decided>(path)).decision;
}

const effectsOf = (actionId: string) => scene.effects().filter((line) => line.includes(` ${actionId}:`));

describe('a step', () => {
  let family: Family;
  beforeAll(async () => {
    family = await scene.family();
  });

  test('asks the model, calls its tools together, and gives the last answer', async () => {
    scene.models.script(scripted([{ toolCalls: [look, pay] }, { text: 'Ada was paid.' }]));
    const { actionId, result, log } = await run(family);
    expect(result).toEqual({ status: 'completed', output: 'Ada was paid.' });
    expect(effectsOf(actionId).toSorted()).toEqual([`look ${actionId}:t1`, `pay ${actionId}:t2`]);
    const ids = log.filter(({ event }) => event === 'call.completed').map((event) => event.actionId);
    expect(ids.toSorted()).toEqual(['m1', 'm2', 't1', 't2'].map((call) => `${actionId}:${call}`));
    expect(newestMessages()).toMatchObject([
      { role: 'system', content: 'You are a clerk.\n\nYour goal: Pay what is due.' },
      { role: 'user', content: 'Your inputs, as JSON:\n{\n  "customer": "Ada"\n}' },
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'call_1_1', content: 'Ada has 40 dollars.' },
      { role: 'tool', tool_call_id: 'call_1_2', content: 'Paid 3 dollars to Ada.' },
    ]);
  });

  test('makes each call an action of the agent, as a child of the action of the step', async () => {
    scene.models.script(scripted([{ toolCalls: [pay] }, { text: 'done' }]));
    const { actionId } = await run(family);
    for (const call of ['m1', 't1', 'm2']) {
      expect(await decisionOf(`${actionId}:${call}`)).toMatchObject({
        action: {
          agentId: family.agentId,
          parentActionId: actionId,
          idempotencyKey: `${actionId}:${call}`,
        },
      });
    }
  });

  test('reports the error of a tool to the model', async () => {
    const tools = [toolOf('fail')];
    const own = await scene.family({ tools: ['fail'] });
    scene.models.script(scripted([{ toolCalls: [{ name: 'fail', args: {} }] }, { text: 'closed' }]));
    const { result, log } = await run(own, { step: { tools } });
    expect(result).toEqual({ status: 'completed', output: 'closed' });
    expect(newestMessages().at(-1)).toMatchObject({ content: 'The bank is closed.' });
    expect(log).toContainEqual(
      expect.objectContaining({
        answer: { type: 'tool', text: 'The bank is closed.', isError: true },
        outcome: { status: 'failure' },
      }),
    );
  });
});

describe('a refused call', () => {
  test('is reported to the model with its reason and its remedy', async () => {
    const family = await scene.family({ policy: { allowedTools: ['look'] } });
    scene.models.script(scripted([{ toolCalls: [pay] }, { text: 'I may not pay.' }]));
    const { actionId, result, log } = await run(family);
    expect(result).toEqual({ status: 'completed', output: 'I may not pay.' });
    expect(newestMessages().at(-1)?.content).toMatch(/^TOOL_NOT_ALLOWED: .+\. .+\.$/s);
    expect(effectsOf(actionId)).toEqual([]);
    const answer = expect.objectContaining({ type: 'refused', code: 'TOOL_NOT_ALLOWED' });
    expect(log).toContainEqual(expect.objectContaining({ answer, attempt: null, outcome: null }));
  });

  test('ends the step when it is the fifth refusal', async () => {
    const family = await scene.family({ policy: { allowedTools: ['look'] } });
    scene.models.script(scripted([{ toolCalls: [pay, pay] }]));
    const { result, log } = await run(family);
    expect(result).toMatchObject({ status: 'failed', code: 'TOO_MANY_REFUSALS', kind: 'permanent' });
    expect(log.filter(({ event }) => event === 'call.completed')).toHaveLength(3 + 6);
  });

  test('is on record for a tool that the agent does not have', async () => {
    const family = await scene.family();
    const steal = { name: 'steal', args: { all: true } };
    scene.models.script(scripted([{ toolCalls: [steal] }, { text: 'no' }]));
    const { actionId, result } = await run(family);
    expect(result).toEqual({ status: 'completed', output: 'no' });
    expect(await decisionOf(`${actionId}:t1`)).toMatchObject({ verdict: 'BLOCK', tool: 'steal' });
  });

  test('of the model ends the step, and the error says when a retry can succeed', async () => {
    const rate = { rateLimit: { maxCalls: 1, windowMs: 60_000 } };
    const family = await scene.family({ policy: rate });
    scene.models.script(scripted([{ toolCalls: [look] }]));
    const first = await run(family, { step: { tools: [] } });
    expect(first.result).toMatchObject({ status: 'failed', code: 'RATE_LIMIT_EXCEEDED', kind: 'soft block' });
    expect(first.result).toHaveProperty('retryAfterMs', expect.any(Number));
  });

  test('of a model that is not allowed is final', async () => {
    const family = await scene.family({ policy: { allowedModels: ['claude-haiku-4-5'] } });
    const { result } = await run(family);
    expect(result).toMatchObject({ status: 'failed', code: 'MODEL_NOT_ALLOWED', kind: 'hard block' });
  });
});

describe('a call that a person must approve', () => {
  const policy = { toolPolicies: { pay: { requiresConfirmation: true } } };
  const answer = (approvalId: string, verb: 'approve' | 'deny') =>
    scene.operator.post(`/v1/approvals/${encodeURIComponent(approvalId)}/${verb}`, { reason: 'as agreed' });

  test('runs once after its approval, and the other calls of its turn are not repeated', async () => {
    const family = await scene.family({ policy });
    scene.models.script(scripted([{ toolCalls: [look, pay] }, { text: 'paid' }]));
    const first = await run(family);
    const { actionId } = first;
    expect(first.result).toEqual({
      status: 'deferred',
      waiting: [{ approvalId: expect.any(String), actionId: `${actionId}:t2`, tool: 'pay' }],
    });
    expect(effectsOf(actionId)).toEqual([`look ${actionId}:t1`]);
    const early = await run(family, { actionId, step: { history: first.log } });
    expect(early.result).toEqual(first.result);
    if (first.result.status !== 'deferred') return;
    await answer(first.result.waiting[0]?.approvalId ?? '', 'approve');
    const second = await run(family, { actionId, step: { history: early.log } });
    expect(second.result).toEqual({ status: 'completed', output: 'paid' });
    expect(effectsOf(actionId)).toEqual([`look ${actionId}:t1`, `pay ${actionId}:t2`]);
    expect(await decisionOf(`${actionId}:t2`)).toMatchObject({ attempt: 1, grantConsumed: true });
  });

  test('is reported to the model after a denial', async () => {
    const family = await scene.family({ policy });
    scene.models.script(scripted([{ toolCalls: [pay] }, { text: 'denied' }]));
    const { actionId, result, log } = await run(family);
    if (result.status !== 'deferred') throw new Error('it was not deferred');
    await answer(result.waiting[0]?.approvalId ?? '', 'deny');
    const second = await run(family, { actionId, step: { history: log } });
    expect(second.result).toEqual({ status: 'completed', output: 'denied' });
    expect(newestMessages().at(-1)?.content).toMatch(/^APPROVAL_DENIED: .+\. .+\.$/s);
    expect(effectsOf(actionId)).toEqual([]);
  });

  test('waits together with the others of its turn', async () => {
    const family = await scene.family({ policy });
    const twice = { ...pay, args: { ...pay.args, amount: 4 } };
    scene.models.script(scripted([{ toolCalls: [pay, twice] }, { text: 'paid' }]));
    const { actionId, result } = await run(family);
    if (result.status !== 'deferred') throw new Error('it was not deferred');
    expect(result.waiting.map((one) => one.actionId)).toEqual([`${actionId}:t1`, `${actionId}:t2`]);
  });
});

describe('a call whose effect is not known', () => {
  const die = { name: 'die', args: {} };
  const tools = [toolOf('die', { risk: 'standard' })];

  test('waits for a person, and is made again if it was not done', async () => {
    const family = await scene.family({ tools: ['die'] });
    scene.models.script(scripted([{ toolCalls: [die] }, { text: 'done' }]));
    const first = await run(family, { step: { tools } });
    const { actionId, log } = first;
    expect(first.result).toMatchObject({ status: 'uncertain', actionId: `${actionId}:t1`, tool: 'die' });
    const again = await run(family, { actionId, step: { tools, history: log } });
    expect(again.result).toMatchObject({ status: 'uncertain' });
    expect(effectsOf(actionId)).toHaveLength(1);
    const resolved = { event: 'call.resolved', actionId: `${actionId}:t1`, agentId: family.agentId } as const;
    const history = [...log, { ...resolved, done: false } as const];
    await run(family, { actionId, step: { tools, history } });
    expect(effectsOf(actionId)).toHaveLength(2);
    expect(await decisionOf(`${actionId}:t1`)).toMatchObject({ attempt: 2, verdict: 'ALLOW' });
  });

  test('is no longer open once a person said that it was done', async () => {
    const family = await scene.family({ tools: ['die'] });
    scene.models.script(scripted([{ toolCalls: [die] }, { text: 'done' }]));
    const { agentId } = family;
    const { actionId, log } = await run(family, { step: { tools } });
    const opened = async () => {
      const { open } = await scene.operator.get<{ open: unknown[] }>('/v1/ledger/open', { agentId });
      return open.length;
    };
    expect(await opened()).toBe(1);
    const answer = { type: 'tool', text: 'Paid.', isError: false } as const;
    const resolved = { event: 'call.completed', actionId: `${actionId}:t1`, agentId, attempt: null } as const;
    const history = [...log, { ...resolved, answer, outcome: { status: 'success' } } as const];
    const { result } = await run(family, { actionId, step: { tools, history } });
    expect(result).toEqual({ status: 'completed', output: 'done' });
    await waitUntil('no call is open', async () => (await opened()) === 0);
    expect(effectsOf(actionId)).toHaveLength(1);
  });

  test.each([
    ['hang', 'safe', 'uncertain'],
    ['wait', 'standard', 'uncertain'],
    ['wait', 'safe', 'failed'],
  ] as const)(
    'after the end of its lease: the tool "%s" of the risk "%s" is %s',
    async (name, risk, status) => {
      const policy = { toolPolicies: { [name]: { executionLeaseMs: 1_000 } } };
      const family = await scene.family({ tools: [name], policy });
      scene.models.script(scripted([{ toolCalls: [{ name, args: {} }] }, { text: 'done' }]));
      const { actionId, result, log } = await run(family, { step: { tools: [toolOf(name, { risk })] } });
      expect(result).toMatchObject(
        status === 'failed' ? { status, code: 'LEASE_EXPIRED', kind: 'transient' } : { status, tool: name },
      );
      expect(log.at(-1)).toMatchObject({ event: status === 'failed' ? 'call.completed' : 'call.begun' });
      expect(effectsOf(actionId)).toHaveLength(1);
    },
  );

  test('is left open when the run is cancelled', async () => {
    const family = await scene.family({ tools: ['hang'] });
    scene.models.script(scripted([{ toolCalls: [{ name: 'hang', args: {} }] }]));
    const cancel = new AbortController();
    const log = journal();
    const append = async (event: Parameters<typeof log.append>[0]) => {
      await log.append(event);
      if (event.event === 'call.begun' && event.call.type === 'tool')
        setTimeout(() => cancel.abort(new Error('cancelled')), 300);
    };
    const deps = { journal: { append }, signal: cancel.signal };
    await expect(run(family, { step: { tools: [toolOf('hang')] }, deps })).rejects.toThrow('cancelled');
    expect(log.log.at(-1)).toMatchObject({ event: 'call.begun', call: { tool: 'hang' } });
  });
});

describe('a model that fails', () => {
  test('is called again in the next attempt of the step, with no call repeated', async () => {
    const family = await scene.family();
    scene.models.script([
      { toolCalls: [pay] },
      { failures: { status: 503, times: 3, retryAfterMs: 1 }, text: 'paid' },
    ]);
    const first = await run(family);
    const { actionId, log } = first;
    expect(first.result).toMatchObject({ status: 'failed', code: 'MODEL_UNAVAILABLE', kind: 'transient' });
    expect(log.at(-1)).toMatchObject({ answer: { type: 'failed' }, outcome: { status: 'failure' } });
    const second = await run(family, { actionId, step: { history: log } });
    expect(second.result).toEqual({ status: 'completed', output: 'paid' });
    expect(effectsOf(actionId)).toEqual([`pay ${actionId}:t1`]);
    expect(await decisionOf(`${actionId}:m2`)).toMatchObject({ attempt: 2, verdict: 'ALLOW' });
  });

  test.each([
    ['openai', 'gpt-4o'],
    ['anthropic', 'claude-haiku-4-5'],
  ])('of %s may have billed an answer that was lost, and is called again', async (provider, name) => {
    const family = await scene.family({ policy: { maxCostTotal: 10 } });
    const model = { name, provider, estimate: null, throttle: {} };
    const cut = { fault: { kind: 'cut', afterEvents: 0 } } as const;
    scene.models.script([cut, cut, cut, { text: 'done' }]);
    const first = await run(family, { step: { model } });
    expect(first.result).toMatchObject({ status: 'failed', code: 'MODEL_UNAVAILABLE', kind: 'transient' });
    const { actionId, log } = first;
    const failure = log.at(-1);
    if (failure?.event !== 'call.completed') throw new Error('the call did not end');
    expect(failure.outcome?.status).toBe('failure');
    await family.mandate.flush();
    expect((await family.mandate.getCost(family.agentId)).totalMicros).toBeGreaterThan(0);
    const second = await run(family, { actionId, step: { model, history: log } });
    expect(second.result).toEqual({ status: 'completed', output: 'done' });
  });

  test.each([
    ['openai', 'gpt-4o'],
    ['anthropic', 'claude-haiku-4-5'],
  ])('of %s is called again after its step was aborted', async (provider, name) => {
    const family = await scene.family();
    const model = { name, provider, estimate: null, throttle: {} };
    const stop = new AbortController();
    scene.models.script(() => {
      setTimeout(() => stop.abort(new Error('the runner stops')), 100);
      return { delayMs: 3_000 };
    });
    const actionId = await family.begin();
    const log = journal();
    const deps = { signal: stop.signal, journal: log };
    await expect(run(family, { actionId, step: { model }, deps })).rejects.toThrow('the runner stops');
    scene.models.script({ text: 'done' });
    const { result } = await run(family, { actionId, step: { model, history: log.log } });
    expect(result).toEqual({ status: 'completed', output: 'done' });
  });

  test.each([
    ['an answer that is cut', { stopReason: 'length' }, 'ANSWER_TRUNCATED'],
    ['a request that the provider refuses', { failures: { status: 400 } }, 'MODEL_REFUSED_REQUEST'],
    ['an answer that is too large', { text: 'x'.repeat(140_000) }, 'MODEL_ANSWER_TOO_LARGE'],
  ] as const)('fails finally after %s', async (_what, reply, code) => {
    const family = await scene.family();
    scene.models.script(reply);
    const { result } = await run(family);
    expect(result).toMatchObject({ status: 'failed', code, kind: 'permanent' });
  });

  test('ends the step after 20 turns', async () => {
    const family = await scene.family();
    scene.models.script({ toolCalls: [look] });
    const { result, log } = await run(family);
    expect(result).toMatchObject({ status: 'failed', code: 'TOO_MANY_TURNS', kind: 'permanent' });
    expect(log.filter((one) => one.event === 'call.begun' && one.call.type === 'model')).toHaveLength(20);
  });
});

describe('the kill switch', () => {
  test('ends a step while its model answers', async () => {
    const family = await scene.family();
    scene.models.script(async () => {
      await scene.operator.post(
        `/v1/agents/${family.agentId}/kill`,
        { reason: 'stop' },
        { idempotencyKey: 'k' },
      );
      return { text: 'late', delayMs: 5_000 };
    });
    const { result } = await run(family);
    expect(result).toMatchObject({ status: 'failed', code: 'AGENT_KILLED', kind: 'hard block' });
  });

  test('ends a step before its next call', async () => {
    const family = await scene.family();
    scene.models.script(scripted([{ toolCalls: [pay] }]));
    const kill = { reason: 'stop' };
    const log = journal();
    const append = async (event: Parameters<typeof log.append>[0]) => {
      await log.append(event);
      if (event.event !== 'call.completed') return;
      await scene.operator.post(`/v1/agents/${family.agentId}/kill`, kill, { idempotencyKey: family.id });
    };
    const { actionId, result } = await run(family, { deps: { journal: { append } } });
    expect(result).toMatchObject({ status: 'failed', code: 'AGENT_KILLED', kind: 'hard block' });
    expect(effectsOf(actionId)).toEqual([]);
  });
});

describe('the cost of a step', () => {
  const costOf = async (family: Family) => {
    await family.mandate.flush();
    return (await family.mandate.getCost(family.agentId)).totalMicros;
  };
  const usage = { inputTokens: 1_000, outputTokens: 100 };

  test('is the usage of its model calls, at the prices of the price list', async () => {
    const family = await scene.family({ policy: { maxCostTotal: 10 } });
    scene.models.script(
      scripted([
        { toolCalls: [look], usage },
        { text: 'done', usage },
      ]),
    );
    await run(family);
    // In the price list, gpt-4o costs 2.50 dollars for a million input tokens, and 10 for a million output tokens.
    expect(await costOf(family)).toBe(2 * (2_500 + 1_000));
  });

  test('follows the price of the manifest if that is higher, before the call and after it', async () => {
    const family = await scene.family({ policy: { maxCostTotal: 10, maxReleases: undefined } });
    scene.models.script({ text: 'done', usage });
    const asked: object[] = [];
    const estimate = (call: { inputTokens: number; maxOutputTokens: number; seconds: number }) => {
      asked.push(call);
      return call.inputTokens * 20 + call.maxOutputTokens * 40;
    };
    const model = { name: 'gpt-4o', provider: 'openai', estimate, throttle: { maxOutputTokens: 200 } };
    const { actionId, log } = await run(family, { step: { model, tools: [] } });
    const begun = log[0];
    if (begun?.event !== 'call.begun' || begun.call.type !== 'model') throw new Error('no call began');
    const { inputTokens } = begun.call;
    expect(await decisionOf(`${actionId}:m1`)).toMatchObject({
      reservation: { micros: inputTokens * 20 + 200 * 40 },
    });
    expect(asked.at(-1)).toMatchObject({ inputTokens: 1_000, maxOutputTokens: 100 });
    expect(await costOf(family)).toBe(1_000 * 20 + 100 * 40);
  });
});

describe('the limits of a model', () => {
  const model = { name: 'gpt-4o', provider: 'openai', estimate: null };

  test('refuse messages that are larger than the context window', async () => {
    const family = await scene.family();
    const { result } = await run(family, { step: { model: { ...model, throttle: { contextWindow: 50 } } } });
    expect(result).toMatchObject({ status: 'failed', code: 'CONTEXT_WINDOW_EXCEEDED', kind: 'permanent' });
  });

  test('limit the tokens of an answer', async () => {
    const family = await scene.family();
    scene.models.script({ text: 'done' });
    const throttle = { contextWindow: 300, maxOutputTokens: 5_000 };
    const { log } = await run(family, { step: { tools: [], model: { ...model, throttle } } });
    const { call } = { call: log[0]?.event === 'call.begun' ? log[0].call : null };
    if (call?.type !== 'model') throw new Error('no call began');
    expect(call.inputTokens + call.maxOutputTokens).toBe(300);
    expect(scene.models.requests.at(-1)?.body.max_completion_tokens).toBe(call.maxOutputTokens);
  });

  test('refuse a call with more tokens than a minute may have', async () => {
    const family = await scene.family();
    const throttle = { tokensPerMinute: 1_000 };
    const { result } = await run(family, { step: { model: { ...model, throttle } } });
    expect(result).toMatchObject({ status: 'failed', code: 'TOKENS_PER_MINUTE_EXCEEDED' });
  });
});

describe('the answer of a step', () => {
  const outputs = {
    schema: { type: 'object', required: ['paid'] },
    faultOf: (value: Json) =>
      typeof value === 'object' && value !== null && 'paid' in value ? null : 'the field "paid" is missing',
  };

  test('is the declared JSON, also in a code fence', async () => {
    const family = await scene.family();
    scene.models.script({ text: '```json\n{"paid": 3}\n```' });
    const { result } = await run(family, { step: { outputs } });
    expect(result).toEqual({ status: 'completed', output: { paid: 3 } });
    expect(newestMessages()[0]?.content).toContain(JSON.stringify(outputs.schema));
  });

  test('may be corrected once', async () => {
    const family = await scene.family();
    scene.models.script(scripted([{ text: '{"sum": 3}' }, { text: '{"paid": 3}' }]));
    const { result } = await run(family, { step: { outputs } });
    expect(result).toEqual({ status: 'completed', output: { paid: 3 } });
    expect(newestMessages().at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('"paid" is missing'),
    });
  });

  test('fails if it is wrong twice', async () => {
    const family = await scene.family();
    scene.models.script({ text: 'I cannot.' });
    const { result } = await run(family, { step: { outputs } });
    expect(result).toMatchObject({ status: 'failed', code: 'ANSWER_INVALID', kind: 'permanent' });
  });

  test.each(['openai', 'anthropic'])('is streamed as it comes from %s', async (provider) => {
    const family = await scene.family();
    const name = provider === 'openai' ? 'gpt-4o' : 'claude-haiku-4-5';
    const model = { name, provider, estimate: null, throttle: {} };
    scene.models.script(scripted([{ toolCalls: [look], text: ['I ', 'look. '] }, { text: ['He', 'llo'] }]));
    const pieces: string[] = [];
    const { result, log } = await run(family, {
      step: { model },
      deps: { stream: (text) => void pieces.push(text) },
    });
    expect(result).toEqual({ status: 'completed', output: 'Hello' });
    expect(pieces).toEqual(['I ', 'look. ', 'He', 'llo']);
    expect(log.filter((one) => one.event === 'call.completed' && one.answer.type === 'model')).toMatchObject([
      { outcome: { status: 'success', usage: {} } },
      { outcome: { status: 'success', usage: {} } },
    ]);
  });
});

describe('a model of Anthropic', () => {
  test('gets the conversation in the form of its API', async () => {
    const family = await scene.family();
    scene.models.script(
      scripted([{ toolCalls: [look, { name: 'pay', args: { customer: 'Ada' } }] }, { text: 'done' }]),
    );
    const model = { name: 'claude-haiku-4-5', provider: null, estimate: null, throttle: {} };
    const { result } = await run(family, { step: { model } });
    expect(result).toEqual({ status: 'completed', output: 'done' });
    expect(newestMessages()).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1_1', name: 'look' }, { type: 'tool_use' }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1_1', is_error: false },
          { type: 'tool_result', tool_use_id: 'call_1_2', is_error: true },
        ],
      },
    ]);
  });
});

describe('the context of an agent', () => {
  const skill = { description: 'How refunds work.', isTemporary: false };
  const skills = [
    { ...skill, name: 'tone', instructions: 'Be kind.', loadStrategy: 'eager' as const },
    {
      ...skill,
      name: 'refunds',
      instructions: 'Ask first.',
      loadStrategy: 'lazy' as const,
      triggerIntent: 'a refund',
    },
  ];

  test('has loadable skills, and loading a skill is not an action', async () => {
    const family = await scene.family();
    const load = { name: 'skill_load', args: { name: 'refunds' } };
    scene.models.script(scripted([{ toolCalls: [load, look] }, { text: 'done' }]));
    const { actionId, result, log } = await run(family, { step: { skills } });
    expect(result).toEqual({ status: 'completed', output: 'done' });
    expect(newestMessages()[0]?.content).toContain('Be kind.');
    expect(newestMessages()[0]?.content).not.toContain('Ask first.');
    expect(newestMessages().slice(-2)).toMatchObject([
      { content: 'Ask first.' },
      { content: 'Ada has 40 dollars.' },
    ]);
    expect(log.filter(({ actionId: id }) => id.includes(':t')).map(({ actionId: id }) => id)).toEqual([
      `${actionId}:t1`,
      `${actionId}:t1`,
    ]);
  });

  test('has no earlier turns if history is off', async () => {
    const family = await scene.family();
    scene.models.script(({ body }) =>
      body.messages.at(-1).content.includes('40 dollars') ? { text: 'done' } : { toolCalls: [look] },
    );
    const { result } = await run(family, { step: { historySupport: false } });
    expect(result).toEqual({ status: 'completed', output: 'done' });
    expect(newestMessages().map(({ role }) => role)).toEqual(['system', 'user']);
  });
});

describe('two runners with one step', () => {
  test('make each call once, and one runner must read the log again', async () => {
    const family = await scene.family();
    scene.models.script(({ body }) => ({
      ...(body.messages.length > 2 ? { text: 'paid' } : { toolCalls: [pay] }),
      delayMs: 300,
    }));
    const actionId = await family.begin();
    const both = await Promise.all([run(family, { actionId }), run(family, { actionId })]);
    const results = both.map(({ result }) => result.status).toSorted();
    expect(results).toEqual(['completed', 'superseded']);
    expect(effectsOf(actionId)).toEqual([`pay ${actionId}:t1`]);
  });
});
