import { type ModelReply, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import {
  Agent,
  handoff,
  hostedMcpTool,
  OpenAIProvider,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordedMandate } from '../adapters/recorded-mandate.fixture.ts';
import { RecordingState } from '../adapters/recording-state.fixture.ts';
import { findMandateError } from '../errors.ts';
import type { MandateDocument } from '../types.ts';
import { type GovernAgentOptions, governAgent, governProvider } from './index.ts';

let server: ModelServer;
beforeAll(async () => {
  setTracingDisabled(true);
  server = await startModelServer();
});
afterAll(() => server.close());

const USAGE = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200, reasoningTokens: 50 };
const DONE: ModelReply = { text: 'Done.', usage: USAGE };
const calling = (name: string, args: object = { to: 'ann' }): ModelReply => ({
  toolCalls: [{ name, args }],
  usage: USAGE,
});
const PAY = { pay: { cost: 5 } };
const APPROVED = { pay: { cost: 5, requiresConfirmation: true } };

function payTool(
  run: (to: string, signal?: AbortSignal) => unknown = (to) => `paid ${to}`,
  more: object = {},
) {
  const runs: string[] = [];
  const pay = tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({ to: z.string() }),
    execute: async ({ to }, _context, details) => {
      runs.push(to);
      return run(to, details?.signal) as string;
    },
    ...more,
  });
  return { pay, runs };
}

const scene = (document: MandateDocument, state = new RecordingState()) =>
  recordedMandate({ document, state });

function runnerWith(
  script: readonly ModelReply[] | ModelReply,
  wrap = (provider: OpenAIProvider) => provider,
) {
  server.script(script);
  const provider = new OpenAIProvider({ apiKey: 'sk-test', baseURL: server.openaiUrl, useResponses: false });
  return new Runner({ modelProvider: wrap(provider), model: 'gpt-4o' });
}

const lastSent = () => JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error('it resolved')),
    (error) => error,
  );
}

describe('a tool call', () => {
  test('runs after an ALLOW, and is charged', async () => {
    const { pay, runs } = payTool();
    const { mandate, outcomes } = scene({ toolPolicies: PAY });
    const own = new Agent({ name: 'bot', tools: [pay] });
    const agent = governAgent(mandate, own);
    const result = await runnerWith([calling('pay'), DONE]).run(agent, 'Pay Ann.');
    expect([result.finalOutput, runs, lastSent()]).toEqual([
      'Done.',
      ['ann'],
      expect.stringContaining('paid ann'),
    ]);
    expect((await mandate.getCost()).toolMicros).toBe(5_000_000);
    expect(outcomes).toEqual([{ status: 'success' }]);
    expect([own.tools[0], agent.tools[0] === pay]).toEqual([pay, false]);
  });

  test.each([false, true])(
    'that is denied never runs, and the model reads the reason; streamed: %s',
    async (stream) => {
      const { pay, runs } = payTool();
      const { mandate } = scene({ deniedTools: ['pay'] });
      const agent = governAgent(mandate, new Agent({ name: 'bot', tools: [pay] }));
      const result = await runnerWith([calling('pay'), DONE]).run(agent, 'Pay Ann.', {
        stream: stream as true,
      });
      await (result as { completed?: Promise<void> }).completed;
      expect([runs, lastSent()]).toEqual([[], expect.stringContaining('TOOL_DENIED')]);
    },
  );

  test('that is denied requests no approval, although the tool itself needs one', async () => {
    const { pay, runs } = payTool(undefined, { needsApproval: true });
    const { mandate } = scene({ deniedTools: ['pay'] });
    const agent = governAgent(mandate, new Agent({ name: 'bot', tools: [pay] }));
    const result = await runnerWith([calling('pay'), DONE]).run(agent, 'Pay Ann.');
    expect([runs, result.interruptions.length, lastSent()]).toEqual([
      [],
      0,
      expect.stringContaining('TOOL_DENIED'),
    ]);
  });

  test('gets the whole argument even if it is too large for a record', async () => {
    const { pay, runs } = payTool(() => 'paid');
    const to = 'x'.repeat(70_000);
    const agent = governAgent(scene({}).mandate, new Agent({ name: 'bot', tools: [pay] }));
    await runnerWith([calling('pay', { to }), DONE]).run(agent, 'Pay.');
    expect(runs).toEqual([to]);
  });

  test('keeps the approval that the tool itself needs', async () => {
    const { pay, runs } = payTool(undefined, { needsApproval: true });
    const { mandate } = scene({});
    const agent = governAgent(mandate, new Agent({ name: 'bot', tools: [pay] }));
    const runner = runnerWith([calling('pay'), DONE]);
    const { state, interruptions } = await runner.run(agent, 'Pay Ann.');
    expect([runs, interruptions.length]).toEqual([[], 1]);
    for (const one of interruptions) state.approve(one);
    await runner.run(agent, state);
    expect([runs, await mandate.getCallCount()]).toEqual([['ann'], 1]);
  });

  test('does not run if it cannot be decided', async () => {
    const { pay, runs } = payTool();
    const { mandate, state } = scene({});
    const agent = governAgent(mandate, new Agent({ name: 'bot', tools: [pay] }));
    await state.close();
    await runnerWith([calling('pay'), DONE]).run(agent, 'Pay Ann.');
    expect([runs, lastSent()]).toEqual([[], expect.stringContaining('INTERNAL_ERROR')]);
  });

  test('that runs when its agent is killed is aborted', async () => {
    const { mandate } = scene({});
    const aborted = Promise.withResolvers<unknown>();
    const { pay } = payTool(async (_to, signal) => {
      signal?.addEventListener('abort', () => aborted.resolve(findMandateError(signal.reason)?.code));
      await mandate.kill('bot', 'runaway');
      return new Promise(() => {});
    });
    const agent = governAgent(mandate, new Agent({ name: 'bot', tools: [pay] }));
    await runnerWith([calling('pay'), DONE]).run(agent, 'Pay Ann.');
    expect([await aborted.promise, lastSent()]).toEqual([
      'AGENT_KILLED',
      expect.stringContaining('AGENT_KILLED'),
    ]);
  });
});

describe('a call that a person must approve', () => {
  test('interrupts the run, and runs once after the approval, in another process', async () => {
    const one = scene({ toolPolicies: APPROVED });
    const first = payTool();
    const before = governAgent(one.mandate, new Agent({ name: 'bot', tools: [first.pay] }));
    const waiting = await runnerWith([calling('pay'), DONE]).run(before, 'Pay Ann.');
    expect([first.runs, waiting.interruptions.length]).toEqual([[], 1]);
    const kept = waiting.state.toString();
    await one.state.grant();

    const two = scene({ toolPolicies: APPROVED }, one.state);
    const second = payTool();
    const after = governAgent(two.mandate, new Agent({ name: 'bot', tools: [second.pay] }));
    const state = await RunState.fromString(after, kept);
    for (const item of state.getInterruptions()) state.approve(item);
    const result = await runnerWith(DONE).run(after, state);
    expect([result.finalOutput, first.runs, second.runs]).toEqual(['Done.', [], ['ann']]);
    expect((await two.mandate.getCost()).toolMicros).toBe(5_000_000);
  });

  test('does not run if only the framework was told of an approval', async () => {
    const { mandate } = scene({ toolPolicies: APPROVED });
    const { pay, runs } = payTool();
    const agent = governAgent(mandate, new Agent({ name: 'bot', tools: [pay] }));
    const runner = runnerWith([calling('pay'), DONE]);
    const { state, interruptions } = await runner.run(agent, 'Pay Ann.');
    for (const one of interruptions) state.approve(one);
    await runner.run(agent, state);
    expect([runs, lastSent()]).toEqual([[], expect.stringContaining('APPROVAL_REQUIRED')]);
  });
});

describe('other agents', () => {
  const denied = { deniedTools: ['pay'] };

  test.each([
    ['an agent', (agent: Agent) => agent],
    ['a handoff', (agent: Agent) => handoff(agent)],
  ])('that %s hands over to are governed, also in circles', async (_what, wrap) => {
    const { pay, runs } = payTool();
    const { mandate } = scene(denied);
    const child = new Agent({ name: 'child', tools: [pay] });
    const parent = new Agent({ name: 'parent', handoffs: [wrap(child)] });
    child.handoffs.push(parent);
    const agent = governAgent(mandate, parent);
    await runnerWith([calling('transfer_to_child', {}), calling('pay'), DONE]).run(agent, 'Pay Ann.');
    expect([runs, lastSent()]).toEqual([[], expect.stringContaining('TOOL_DENIED')]);
    expect(child.tools).toEqual([pay]);
  });

  test('that run as a tool are governed if they were governed, and refused otherwise', async () => {
    const { pay, runs } = payTool();
    const { mandate } = scene({});
    const child = new Agent({ name: 'child', tools: [pay] });
    const options = { toolName: 'ask_child', toolDescription: 'asks the child' };
    const ungoverned = new Agent({ name: 'parent', tools: [child.asTool(options)] });
    expect(() => governAgent(mandate, ungoverned)).toThrow('"ask_child" (function) cannot be governed');

    const governed = governAgent(mandate, child, { agentId: 'child', mandate: denied });
    const parent = governAgent(mandate, new Agent({ name: 'parent', tools: [governed.asTool(options)] }));
    const script = [
      calling('ask_child', { input: 'Pay Ann.' }),
      calling('pay'),
      { text: 'It was denied.' },
      DONE,
    ];
    await runnerWith(script).run(parent, 'Pay Ann.');
    expect([runs, lastSent()]).toEqual([[], expect.stringContaining('It was denied.')]);
    expect(await mandate.getCallCount('child')).toBe(1);
  });

  test('that are cloned stay governed, and so do the tools that they get later', async () => {
    const { pay, runs } = payTool();
    const { mandate } = scene(denied);
    const clone = governAgent(mandate, new Agent({ name: 'bot' })).clone({ name: 'clone', tools: [pay] });
    await runnerWith([calling('pay'), DONE]).run(clone, 'Pay Ann.');
    const later = governAgent(mandate, new Agent({ name: 'bot' }));
    later.tools.push(pay);
    await runnerWith([calling('pay'), DONE]).run(later, 'Pay Ann.');
    expect(runs).toEqual([]);
  });
});

test('tools that cannot be governed are refused, unless their names are listed', () => {
  const { mandate } = scene({});
  const agent = new Agent({
    name: 'bot',
    tools: [hostedMcpTool({ serverLabel: 'git', serverUrl: 'https://a.example' })],
  });
  const govern = (options: GovernAgentOptions) => () => governAgent(mandate, agent, options);
  expect(govern({})).toThrow('(hosted_tool) cannot be governed');
  expect(govern({ ungoverned: ['hosted_mcp'] })().tools).toEqual(agent.tools);
});

describe('a model call', () => {
  const BILLED = {
    status: 'success',
    usage: { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200, reasoningTokens: 50 },
  };

  test.each([false, true])(
    'is settled by the tokens that the provider billed; streamed: %s',
    async (stream) => {
      const { mandate, state, outcomes } = scene({ maxCostTotal: 1 });
      const runner = runnerWith(DONE, (provider) => governProvider(mandate, provider));
      const result = await runner.run(new Agent({ name: 'bot' }), 'Hi', { stream: stream as true });
      await (result as { completed?: Promise<void> }).completed;
      expect(outcomes).toEqual([BILLED]);
      expect(state.decisions).toMatchObject([
        { action: { type: 'llm_call', provider: 'openai', model: 'gpt-4o' } },
      ]);
    },
  );

  test('that is refused ends the run, and no request is sent', async () => {
    const { mandate } = scene({ maxCostTotal: 0 });
    const runner = runnerWith(DONE, (provider) => governProvider(mandate, provider));
    const before = server.requests.length;
    const error = await errorOf(runner.run(new Agent({ name: 'bot' }), 'Hi'));
    expect([findMandateError(error)?.code, server.requests.length]).toEqual(['COST_LIMIT_EXCEEDED', before]);
  });

  test('of an agent with its own model is governed too', async () => {
    const { mandate, outcomes } = scene({});
    const runner = runnerWith(DONE);
    const model = await new OpenAIProvider({
      apiKey: 'x',
      baseURL: server.openaiUrl,
      useResponses: false,
    }).getModel('gpt-4o');
    await runner.run(governAgent(mandate, new Agent({ name: 'bot', model })), 'Hi');
    expect(outcomes).toEqual([BILLED]);
  });

  test('is charged for the delivered part if its stream breaks off', async () => {
    const { mandate, outcomes } = scene({});
    const broken: ModelReply = { text: ['one ', 'two ', 'three'], fault: { kind: 'cut', afterEvents: 3 } };
    const runner = runnerWith(broken, (provider) => governProvider(mandate, provider));
    const result = await runner.run(new Agent({ name: 'bot' }), 'Hi', { stream: true });
    await errorOf(result.completed);
    expect(outcomes).toMatchObject([{ status: 'failure', usage: { outputTokens: expect.any(Number) } }]);
  });

  test('that hangs is aborted by a kill', async () => {
    const { mandate } = scene({});
    const runner = runnerWith({ fault: { kind: 'hang', afterEvents: 0 } }, (provider) =>
      governProvider(mandate, provider),
    );
    const before = server.requests.length;
    const running = errorOf(runner.run(new Agent({ name: 'bot' }), 'Hi'));
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await mandate.kill('bot', 'runaway');
    expect(findMandateError(await running)?.code).toBe('AGENT_KILLED');
    await expect.poll(() => server.requests.at(-1)?.state).toBe('aborted');
  });
});
