/** The ways of the AI SDK to run a tool, in both majors. */
import { createOpenAI } from '@ai-sdk/openai';
import type * as ai7 from 'ai';
import { z } from 'zod';
import { mandateToolApproval, mandateTools } from '../../ai/index.ts';
import { calling, DONE, type Framework, type Given, PAYING, paying, script, type Way } from './given.ts';

type Ai = typeof ai7;

const inputSchema = z.object({ to: z.string() });

/** A model that is not governed, so that only the tool can be refused. */
function modelOf(ai: Ai, { server }: Given) {
  const model = createOpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl }).chat('gpt-4o');
  return ai.wrapLanguageModel({ model, middleware: { specificationVersion: 'v4' } });
}

/** What a call of a model gets. The tool is governed by the instance, or by the view that is given. */
function callOf(ai: Ai, given: Given, more: object = {}, mandate = given.mandate) {
  const execute = async ({ to }: { to: string }) => given.pay(to);
  const pay = ai.tool({ description: 'pays', inputSchema, execute, ...more });
  const tools = mandateTools(mandate, { pay });
  return { model: modelOf(ai, given), tools, stopWhen: ai.stepCountIs(9) };
}

const ask = { prompt: 'Pay Ann.' };
const quiet = { onError: () => {} };

/** Adds what each run has. */
function once(run: (given: Given) => Promise<unknown>): Way {
  return (given) => {
    script(given, PAYING, DONE);
    return run(given);
  };
}

function waysOf(ai: Ai): Record<string, Way> {
  return {
    generateText: once(async (given) =>
      ai.generateText({ ...callOf(ai, given), ...ask, abortSignal: given.signal }),
    ),
    streamText: once(async (given) => {
      const stream = ai.streamText({ ...callOf(ai, given), ...ask, ...quiet, abortSignal: given.signal });
      await stream.consumeStream();
    }),
    'an agent': once(async (given) =>
      new ai.ToolLoopAgent(callOf(ai, given)).generate({ ...ask, abortSignal: given.signal }),
    ),
    'an agent that streams': once(async (given) => {
      const stream = await new ai.ToolLoopAgent(callOf(ai, given)).stream({
        ...ask,
        abortSignal: given.signal,
      });
      await stream.consumeStream();
    }),
    'a tool that yields': once(async (given) => {
      const execute = async function* ({ to }: { to: string }) {
        yield given.pay(to);
      };
      return ai.generateText({ ...callOf(ai, given, { execute }), ...ask, abortSignal: given.signal });
    }),
    'a dynamic tool': once(async (given) => {
      const execute = async (input: unknown) => given.pay((input as { to: string }).to);
      const pay = ai.dynamicTool({ description: 'pays', inputSchema, execute });
      const tools = mandateTools(given.mandate, { pay });
      return ai.generateText({ ...callOf(ai, given), tools, ...ask, abortSignal: given.signal });
    }),
    'a tool that the user approved': once(async (given) => {
      const call = callOf(ai, given, { needsApproval: true });
      const first = await ai.generateText({ ...call, ...ask, abortSignal: given.signal });
      const messages = approvedByUser(first);
      return ai.generateText({ ...call, messages, abortSignal: given.signal });
    }),
  };
}

/** The parts of a result that say what the model asked for. */
type Asked = {
  content: readonly { type: string; approvalId?: string }[];
  response: { messages: readonly ai7.ModelMessage[] };
};

/** Returns the messages with which the user approves what the model asked for. */
function approvedByUser(first: Asked): ai7.ModelMessage[] {
  const request = first.content.find(({ type }) => type === 'tool-approval-request');
  const approvalId = request?.approvalId;
  if (approvalId === undefined) throw new Error('nothing was asked');
  return [
    { role: 'user', content: ask.prompt },
    ...first.response.messages,
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] },
  ];
}

function subAgentsOf(ai: Ai): Framework['subAgents'] {
  return {
    'an agent that a tool runs': (given, child, times) => {
      script(given, calling('ask_payer'), ...paying(times), DONE);
      const execute = async () => {
        const payer = new ai.ToolLoopAgent(callOf(ai, given, {}, child.view));
        return (await payer.generate(ask)).text;
      };
      const ask_payer = ai.tool({ description: 'asks the payer', inputSchema: z.object({}), execute });
      const tools = mandateTools(given.mandate, { ask_payer });
      return ai.generateText({ ...callOf(ai, given), tools, ...ask });
    },
  };
}

/** AI SDK 6 ignores `toolApproval`, so a run cannot stop there for a person. */
export function aiSdk6(ai: Ai): Framework {
  return { ways: waysOf(ai), subAgents: subAgentsOf(ai) };
}

export function aiSdk7(ai: Ai): Framework {
  const withApproval = (given: Given) => {
    const call = callOf(ai, given);
    const also = () => 'approved' as const;
    return { ...call, toolApproval: mandateToolApproval(given.mandate, { tools: call.tools, also }) };
  };
  return {
    ways: waysOf(ai),
    lateWays: {
      'generateText with toolApproval': once(async (given) =>
        ai.generateText({ ...withApproval(given), ...ask, abortSignal: given.signal }),
      ),
      'streamText with toolApproval': once(async (given) => {
        const call = { ...withApproval(given), ...ask, ...quiet, abortSignal: given.signal };
        await ai.streamText(call).consumeStream();
      }),
    },
    async suspend(given) {
      script(given, PAYING, DONE);
      const first = await ai.generateText({ ...withApproval(given), ...ask });
      const messages = approvedByUser(first);
      return async (again) => {
        script(again, DONE);
        return ai.generateText({ ...withApproval(again), messages });
      };
    },
    subAgents: subAgentsOf(ai),
  };
}
