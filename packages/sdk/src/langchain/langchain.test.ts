import { Command, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { collect } from '@mandate/testing';
import { type ModelReply, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import { createAgent, createMiddleware, providerStrategy, tool, toolRetryMiddleware } from 'langchain';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { recordedMandate } from '../adapters/recorded-mandate.fixture.ts';
import { RecordingState } from '../adapters/recording-state.fixture.ts';
import { findMandateError } from '../errors.ts';
import { Mandate } from '../index.ts';
import type { MandateDocument } from '../types.ts';
import { mandateCallbacks, mandateMiddleware } from './index.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const USAGE = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200, reasoningTokens: 50 };
const call = (name: string, args: object, id?: string) => ({
  name,
  args,
  ...(id === undefined ? {} : { id }),
});
const calling = (...toolCalls: ReturnType<typeof call>[]): ModelReply => ({ toolCalls, usage: USAGE });
const DONE: ModelReply = { text: 'Done.', usage: USAGE };
const ask = { messages: [{ role: 'user' as const, content: 'Pay Ann.' }] };
const PAY = { pay: { cost: 5 } };
const APPROVED = { pay: { cost: 5, requiresConfirmation: true } };

function payTool(
  run: (args: { to: string }, config: { signal?: AbortSignal }) => unknown = ({ to }) => `paid ${to}`,
) {
  const runs: unknown[] = [];
  const pay = tool(
    async (args: { to: string }, config) => {
      runs.push(args);
      return run(args, config);
    },
    { name: 'pay', description: 'pays', schema: z.object({ to: z.string() }) },
  );
  return { pay, runs };
}

function modelWith(script: readonly ModelReply[] | ModelReply, options: object = {}) {
  server.script(script);
  return new ChatOpenAI({
    model: 'gpt-4o',
    apiKey: 'sk-test',
    maxRetries: 0,
    configuration: { baseURL: server.openaiUrl },
    ...options,
  });
}

function scene(document: MandateDocument, state = new RecordingState()) {
  const errors: unknown[] = [];
  const recorded = recordedMandate({ document, state, onError: (error) => errors.push(error) });
  return { ...recorded, errors, middleware: mandateMiddleware(recorded.mandate) };
}

/** A tool that asks another agent to pay. Returns the text of the message at this index. */
function delegateTool(inner: { invoke(input: typeof ask, config?: object): Promise<Messages> }, at = -1) {
  return tool(async (_args, config) => String((await inner.invoke(ask, config)).messages.at(at)?.content), {
    name: 'delegate',
    description: 'delegates',
    schema: z.object({}),
  });
}

const DELEGATED = [
  calling(call('delegate', {})),
  calling(call('pay', { to: 'ann' })),
  { text: 'It was denied.' },
  DONE,
];

type Messages = { messages: { getType(): string; content: unknown; status?: unknown }[] };
const toolMessages = (result: Messages) => result.messages.filter((message) => message.getType() === 'tool');

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (result) => Promise.reject(new Error(`it resolved to ${JSON.stringify(result)}`)),
    (error) => error,
  );
}

describe('a tool call', () => {
  test('runs after an ALLOW, and is charged', async () => {
    const { pay, runs } = payTool();
    const { mandate, middleware, errors } = scene({ toolPolicies: PAY });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [middleware],
    });
    const result = await agent.invoke(ask);
    expect(toolMessages(result)).toMatchObject([{ content: 'paid ann' }]);
    expect([runs, (await mandate.getCost()).toolMicros, errors]).toEqual([[{ to: 'ann' }], 5_000_000, []]);
  });

  test.each(['v1', 'v2'] as const)(
    'that is denied never runs, and the model reads the reason: %s',
    async (version) => {
      const { pay, runs } = payTool();
      const { middleware } = scene({ deniedTools: ['pay'] });
      const agent = createAgent({
        model: modelWith([calling(call('pay', { to: 'ann' }), call('pay', { to: 'bob' })), DONE]),
        tools: [pay],
        middleware: [middleware],
        version,
      });
      const result = await agent.invoke(ask);
      expect(runs).toEqual([]);
      const denied = { status: 'error', content: expect.stringMatching(/^TOOL_DENIED: /) };
      expect(toolMessages(result)).toMatchObject([denied, denied]);
      expect(server.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
        role: 'tool',
        content: expect.stringContaining('TOOL_DENIED'),
      });
    },
  );

  test('gets the whole argument even if it is too large for a record', async () => {
    const { pay, runs } = payTool(() => 'paid');
    const to = 'x'.repeat(70_000);
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to })), DONE]),
      tools: [pay],
      middleware: [scene({}).middleware],
    });
    await agent.invoke(ask);
    expect(runs).toEqual([{ to }]);
  });

  test('that is denied never runs when the run is streamed', async () => {
    const { pay, runs } = payTool();
    const { middleware } = scene({ deniedTools: ['pay'] });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [middleware],
    });
    await collect(await agent.stream(ask, { streamMode: ['messages', 'updates'] }));
    expect([runs, server.requests.at(-1)?.body.messages.at(-1).content]).toEqual([
      [],
      expect.stringContaining('TOOL_DENIED'),
    ]);
  });

  test('does not run if it cannot be decided', async () => {
    const { pay, runs } = payTool();
    const { middleware, state } = scene({});
    const closing = createMiddleware({
      name: 'closing',
      wrapToolCall: async (request, handler) => {
        await state.close();
        return handler(request);
      },
    });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [closing, middleware],
    });
    const error = await errorOf(agent.invoke(ask));
    expect([runs, findMandateError(error)?.code]).toEqual([[], 'INTERNAL_ERROR']);
  });

  test('that fails is reported to the model as without the middleware, and costs nothing', async () => {
    const failing = () => {
      throw new TypeError('the bank is closed');
    };
    const { pay } = payTool(failing);
    const { middleware, mandate } = scene({ toolPolicies: PAY });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [middleware],
    });
    const result = await agent.invoke(ask);
    expect(toolMessages(result)).toMatchObject([
      { status: 'error', content: expect.stringContaining('the bank is closed') },
    ]);
    expect((await mandate.getCost()).toolMicros).toBe(0);
  });

  test('that fails is retried by other middleware, which reads the class of the error', async () => {
    let tries = 0;
    const { pay, runs } = payTool(() => {
      tries += 1;
      if (tries < 3) throw new TypeError('the bank is closed');
      return 'paid';
    });
    const { middleware, state, mandate } = scene({ toolPolicies: PAY });
    const retry = toolRetryMiddleware({
      maxRetries: 3,
      retryOn: (error) => error instanceof TypeError,
      initialDelayMs: 0,
      jitter: false,
    });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [retry as unknown as typeof middleware, middleware],
    });
    expect(toolMessages(await agent.invoke(ask))).toMatchObject([{ content: 'paid' }]);
    const attempts = state.decisions.filter(
      ({ type, verdict }) => type === 'tool_call' && verdict === 'ALLOW',
    );
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect([runs.length, (await mandate.getCost()).toolMicros]).toEqual([3, 5_000_000]);
  });

  test('that runs when its agent is killed is aborted, and the next model call is refused', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const { middleware, mandate } = scene({});
    const { pay } = payTool(async (_args, { signal }) => {
      signal?.addEventListener('abort', () => aborted.resolve(findMandateError(signal.reason)?.code));
      await mandate.kill('bot', 'runaway');
      return new Promise(() => {});
    });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [middleware],
    });
    const error = await errorOf(agent.invoke(ask));
    expect([await aborted.promise, findMandateError(error)?.code]).toEqual(['AGENT_KILLED', 'AGENT_KILLED']);
  });
});

describe('a call that a person must approve', () => {
  const config = { configurable: { thread_id: 't1' } };

  test('interrupts the graph, and runs once after the approval, in another process', async () => {
    const checkpointer = new MemorySaver();
    const state = new RecordingState();
    const first = payTool();
    const one = scene({ toolPolicies: APPROVED }, state);
    const search = tool(() => 'found', { name: 'search', description: 'searches', schema: z.object({}) });
    const before = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' }), call('search', {})), DONE]),
      tools: [first.pay, search],
      middleware: [one.middleware],
      checkpointer,
    });
    const waiting = await before.invoke(ask, config);
    const [question] = (waiting as { __interrupt__?: { value: unknown }[] }).__interrupt__ ?? [];
    expect(question?.value).toMatchObject({
      type: 'mandate_approval',
      approvalId: expect.stringMatching(/^apv_/),
      agentId: 'bot',
      action: { tool: 'pay', args: { to: 'ann' } },
    });
    // A graph that is resumed too early waits again.
    const early = await before.invoke(new Command({ resume: true }), config);
    expect(early).toHaveProperty('__interrupt__');
    await state.grant();

    const second = payTool();
    const two = scene({ toolPolicies: APPROVED }, state);
    const after = createAgent({
      model: modelWith(DONE),
      tools: [second.pay, search],
      middleware: [two.middleware],
      checkpointer,
    });
    const result = await after.invoke(new Command({ resume: true }), config);
    expect(toolMessages(result)).toMatchObject([{ content: 'paid ann' }, { content: 'found' }]);
    expect([first.runs, second.runs]).toEqual([[], [{ to: 'ann' }]]);
    expect((await two.mandate.getCost()).toolMicros).toBe(5_000_000);
    expect(
      state.decisions.filter(({ verdict, action }) => verdict === 'ALLOW' && action.type === 'tool_call'),
    ).toHaveLength(2);
  });

  test('leaves the resume values of the tool to the tool', async () => {
    const { interrupt } = await import('@langchain/langgraph');
    const { pay, runs } = payTool(() => `paid from ${interrupt('Which account?')}`);
    const { middleware, state } = scene({ toolPolicies: APPROVED });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(ask, config);
    await state.grant();
    const asked = await agent.invoke(new Command({ resume: 'approved' }), config);
    expect((asked as { __interrupt__?: { value: unknown }[] }).__interrupt__).toMatchObject([
      { value: 'Which account?' },
    ]);
    expect(runs).toHaveLength(1);
  });

  test('ends the run if the graph has no checkpointer', async () => {
    const { pay, runs } = payTool();
    const { middleware } = scene({ toolPolicies: APPROVED });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
      middleware: [middleware],
    });
    const error = await errorOf(agent.invoke(ask));
    expect([findMandateError(error)?.code, runs]).toEqual(['APPROVAL_REQUIRED', []]);
  });
});

describe('a model call', () => {
  const BILLED = { status: 'success', usage: USAGE };

  test('is settled by the tokens that the provider billed', async () => {
    const { middleware, state, outcomes, errors } = scene({ maxCostTotal: 1 });
    const model = modelWith(DONE, { maxTokens: 500 });
    await createAgent({ model, tools: [], middleware: [middleware] }).invoke(ask);
    expect(state.decisions).toMatchObject([
      { action: { type: 'llm_call', provider: 'openai', model: 'gpt-4o', maxOutputTokens: 500 } },
    ]);
    expect([outcomes, errors]).toEqual([[BILLED], []]);
  });

  test('is settled by the tokens that the provider billed, if it is streamed', async () => {
    const { middleware, outcomes } = scene({});
    const agent = createAgent({ model: modelWith(DONE), tools: [], middleware: [middleware] });
    await collect(await agent.stream(ask, { streamMode: 'messages' }));
    expect(outcomes).toEqual([BILLED]);
  });

  test('is charged for the delivered part if its stream breaks off', async () => {
    const { middleware, outcomes } = scene({});
    const model = modelWith({ text: ['one ', 'two ', 'three'], fault: { kind: 'error', afterEvents: 3 } });
    const agent = createAgent({ model, tools: [], middleware: [middleware] });
    await errorOf(agent.stream(ask, { streamMode: 'messages' }).then((stream) => collect(stream)));
    expect(outcomes).toMatchObject([{ status: 'failure', usage: { outputTokens: expect.any(Number) } }]);
  });

  test('is charged if its answer does not have the structure that was asked for', async () => {
    const { middleware, outcomes } = scene({});
    const responseFormat = providerStrategy(z.object({ paid: z.boolean() }));
    const agent = createAgent({
      model: modelWith({ ...DONE, text: '{"paid":1}' }),
      tools: [],
      middleware: [middleware],
      responseFormat,
    });
    await errorOf(agent.invoke(ask));
    expect(outcomes).toEqual([BILLED]);
  });

  test('that is refused ends the run, and no request is sent', async () => {
    const { middleware } = scene({ maxCostTotal: 0 });
    const before = server.requests.length;
    const agent = createAgent({ model: modelWith(DONE), tools: [], middleware: [middleware] });
    const error = await errorOf(agent.invoke(ask));
    expect(findMandateError(error)).toMatchObject({
      name: 'MandateBlockedError',
      code: 'COST_LIMIT_EXCEEDED',
      action: { model: 'gpt-4o' },
    });
    expect(server.requests.length).toBe(before);
  });

  test('of an unknown model under a budget does not run', async () => {
    const { middleware } = scene({ maxCostTotal: 1 });
    const agent = createAgent({
      model: modelWith(DONE, { model: 'no-such-model' }),
      tools: [],
      middleware: [middleware],
    });
    expect(findMandateError(await errorOf(agent.invoke(ask)))?.code).toBe('UNPRICED_MODEL');
  });

  test('that hangs is aborted by a kill, and the provider sees the abort', async () => {
    const { middleware, mandate } = scene({});
    const agent = createAgent({
      model: modelWith({ fault: { kind: 'hang', afterEvents: 0 } }),
      tools: [],
      middleware: [middleware],
    });
    const before = server.requests.length;
    const running = errorOf(agent.invoke(ask));
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await mandate.kill('bot', 'runaway');
    expect(findMandateError(await running)?.code).toBe('AGENT_KILLED');
    await expect.poll(() => server.requests.at(-1)?.state).toBe('aborted');
  });
});

describe('an agent that a tool starts', () => {
  test('is under its own mandate', async () => {
    const { pay, runs } = payTool();
    const mandate = new Mandate({ mandate: {} });
    const child = mandateMiddleware(mandate, { agentId: 'child', mandate: { deniedTools: ['pay'] } });
    const inner = createAgent({ model: modelWith({}), tools: [pay], middleware: [child] });
    const outer = createAgent({
      model: modelWith(DELEGATED),
      tools: [delegateTool(inner)],
      middleware: [mandateMiddleware(mandate, { agentId: 'parent' })],
    });
    expect(toolMessages(await outer.invoke(ask))).toMatchObject([{ content: 'It was denied.' }]);
    expect([runs, await mandate.getCallCount('child'), await mandate.getCallCount('parent')]).toEqual([
      [],
      2,
      3,
    ]);
  });
});

describe('the callbacks', () => {
  // LangChain also prints each error of a callback.
  let printed: string[];
  beforeEach(() => {
    printed = [];
    vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(String(text)));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('refuse the tool of a graph, and of an agent that a tool starts', async () => {
    const { pay, runs } = payTool();
    const { mandate, state } = scene({ deniedTools: ['pay'] });
    const inner = createAgent({ model: modelWith({}), tools: [pay] });
    const outer = createAgent({ model: modelWith(DELEGATED), tools: [delegateTool(inner, -2)] });
    const result = await outer.invoke(ask, { callbacks: [mandateCallbacks(mandate)] });
    expect(toolMessages(result)).toMatchObject([{ content: expect.stringContaining('TOOL_DENIED') }]);
    expect(runs).toEqual([]);
    expect(state.codes).toEqual(['ALLOWED', 'ALLOWED', 'ALLOWED', 'TOOL_DENIED', 'ALLOWED', 'ALLOWED']);
    expect(printed).toEqual([expect.stringContaining('TOOL_DENIED')]);
  });

  test('settle tools and model calls', async () => {
    const { pay } = payTool();
    const { mandate, outcomes } = scene({ toolPolicies: PAY });
    const agent = createAgent({
      model: modelWith([calling(call('pay', { to: 'ann' })), DONE]),
      tools: [pay],
    });
    await agent.invoke(ask, { callbacks: [mandateCallbacks(mandate)] });
    const billed = { status: 'success', usage: USAGE };
    expect([outcomes, printed]).toEqual([[billed, { status: 'success' }, billed], []]);
  });

  test('end the run if a model call is refused', async () => {
    const { mandate } = scene({ maxCostTotal: 0 });
    const error = await errorOf(modelWith(DONE).invoke('Hi', { callbacks: [mandateCallbacks(mandate)] }));
    expect(findMandateError(error)?.code).toBe('COST_LIMIT_EXCEEDED');
    expect(printed).toEqual([expect.stringContaining('COST_LIMIT_EXCEEDED')]);
  });
});
