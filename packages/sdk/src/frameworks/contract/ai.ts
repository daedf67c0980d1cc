/** The ways of the AI SDK to run a tool, in both majors. */
import { createOpenAI } from '@ai-sdk/openai';
import type * as ai7 from 'ai';
import { z } from 'zod';
import { mandateToolApproval, mandateTools } from '../../ai/index.ts';
import type { Framework, RunSetup, Way } from './framework.ts';
import { calling, DONE, PAYING, paying, payingOnce, scriptModel } from './scripted-model.ts';

type Ai = typeof ai7;

const inputSchema = z.object({ to: z.string() });

/** A model that is not governed, so that only the tool can be refused. */
function modelOf(ai: Ai, { server }: RunSetup) {
  const model = createOpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl }).chat('gpt-4o');
  return ai.wrapLanguageModel({ model, middleware: { specificationVersion: 'v4' } });
}

/** The input of a call of a model. The instance, or a view of the instance, governs the tool. */
function callOf(ai: Ai, setup: RunSetup, more: object = {}, mandate = setup.mandate) {
  const execute = async ({ to }: { to: string }) => setup.pay(to);
  const pay = ai.tool({ description: 'pays', inputSchema, execute, ...more });
  const tools = mandateTools(mandate, { pay });
  return { model: modelOf(ai, setup), tools, stopWhen: ai.stepCountIs(9) };
}

const ask = { prompt: 'Pay Ann.' };
const quiet = { onError: () => {} };

function waysOf(ai: Ai): Record<string, Way> {
  return {
    generateText: payingOnce(async (setup) =>
      ai.generateText({ ...callOf(ai, setup), ...ask, abortSignal: setup.signal }),
    ),
    streamText: payingOnce(async (setup) => {
      const stream = ai.streamText({ ...callOf(ai, setup), ...ask, ...quiet, abortSignal: setup.signal });
      await stream.consumeStream();
    }),
    'an agent': payingOnce(async (setup) =>
      new ai.ToolLoopAgent(callOf(ai, setup)).generate({ ...ask, abortSignal: setup.signal }),
    ),
    'an agent that streams': payingOnce(async (setup) => {
      const stream = await new ai.ToolLoopAgent(callOf(ai, setup)).stream({
        ...ask,
        abortSignal: setup.signal,
      });
      await stream.consumeStream();
    }),
    'a tool that yields': payingOnce(async (setup) => {
      const execute = async function* ({ to }: { to: string }) {
        yield setup.pay(to);
      };
      return ai.generateText({ ...callOf(ai, setup, { execute }), ...ask, abortSignal: setup.signal });
    }),
    'a dynamic tool': payingOnce(async (setup) => {
      const execute = async (input: unknown) => setup.pay((input as { to: string }).to);
      const pay = ai.dynamicTool({ description: 'pays', inputSchema, execute });
      const tools = mandateTools(setup.mandate, { pay });
      return ai.generateText({ ...callOf(ai, setup), tools, ...ask, abortSignal: setup.signal });
    }),
    'a tool that the user approved': payingOnce(async (setup) => {
      const call = callOf(ai, setup, { needsApproval: true });
      const first = await ai.generateText({ ...call, ...ask, abortSignal: setup.signal });
      const messages = approvedByUser(first);
      return ai.generateText({ ...call, messages, abortSignal: setup.signal });
    }),
  };
}

/** The parts of a result that contain the tool calls and the questions of the model. */
type Asked = {
  content: readonly { type: string; approvalId?: string }[];
  response: { messages: readonly ai7.ModelMessage[] };
};

/** Returns the messages with which the user approves the tool calls of the model. */
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
    'an agent that a tool runs': (setup, child, times) => {
      scriptModel(setup, calling('ask_payer'), ...paying(times), DONE);
      const execute = async () => {
        const payer = new ai.ToolLoopAgent(callOf(ai, setup, {}, child.view));
        return (await payer.generate(ask)).text;
      };
      const ask_payer = ai.tool({ description: 'asks the payer', inputSchema: z.object({}), execute });
      const tools = mandateTools(setup.mandate, { ask_payer });
      return ai.generateText({ ...callOf(ai, setup), tools, ...ask });
    },
  };
}

/** AI SDK 6 ignores `toolApproval`, so a run cannot stop there for a person. */
export function aiSdk6(ai: Ai): Framework {
  return { ways: waysOf(ai), subAgents: subAgentsOf(ai) };
}

export function aiSdk7(ai: Ai): Framework {
  const withApproval = (setup: RunSetup) => {
    const call = callOf(ai, setup);
    const also = () => 'approved' as const;
    return { ...call, toolApproval: mandateToolApproval(setup.mandate, { tools: call.tools, also }) };
  };
  return {
    ways: waysOf(ai),
    waysWithLateSignal: {
      'generateText with toolApproval': payingOnce(async (setup) =>
        ai.generateText({ ...withApproval(setup), ...ask, abortSignal: setup.signal }),
      ),
      'streamText with toolApproval': payingOnce(async (setup) => {
        const call = { ...withApproval(setup), ...ask, ...quiet, abortSignal: setup.signal };
        await ai.streamText(call).consumeStream();
      }),
    },
    async suspend(setup) {
      scriptModel(setup, PAYING, DONE);
      const first = await ai.generateText({ ...withApproval(setup), ...ask });
      const messages = approvedByUser(first);
      return async (again) => {
        scriptModel(again, DONE);
        return ai.generateText({ ...withApproval(again), messages });
      };
    },
    subAgents: subAgentsOf(ai),
  };
}
