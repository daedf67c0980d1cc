/** The ways of LangChain and LangGraph to run a tool. */
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import type { Mandate } from '../../index.ts';
import { mandateCallbacks, mandateMiddleware } from '../../langchain/index.ts';
import { calling, DONE, type Framework, type Given, PAYING, paying, script, type Way } from './given.ts';

const ask = { messages: [{ role: 'user' as const, content: 'Pay Ann.' }] };

function modelOf({ server }: Given): ChatOpenAI {
  const configuration = { baseURL: server.openaiUrl };
  return new ChatOpenAI({ model: 'gpt-4o', apiKey: 'sk-test', maxRetries: 0, configuration });
}

function payTool(given: Given, more: object = {}) {
  const work = async ({ to }: { to: string }) => given.pay(to);
  return tool(work, { name: 'pay', description: 'pays', schema: z.object({ to: z.string() }), ...more });
}

function agentOf(given: Given, more: object = {}, mandate: Mandate = given.mandate) {
  const middleware = [mandateMiddleware(mandate)];
  return createAgent({ model: modelOf(given), tools: [payTool(given)], middleware, ...more });
}

/** A graph of its own, without middleware. */
function graphOf(given: Given) {
  const tools = [payTool(given)];
  const model = modelOf(given).bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => {
      const { tool_calls } = messages.at(-1) as { tool_calls?: unknown[] };
      return tool_calls?.length ? 'tools' : END;
    })
    .addEdge('tools', 'model')
    .compile();
}

function once(run: (given: Given) => Promise<unknown>): Way {
  return (given) => {
    script(given, PAYING, DONE);
    return run(given);
  };
}

async function read(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) {
    // Reads the stream to its end.
  }
}

const watched = ({ mandate, signal }: Given) => ({ callbacks: [mandateCallbacks(mandate)], signal });

export const langChain: Framework = {
  ways: {
    invoke: once(async (given) => agentOf(given).invoke(ask, { signal: given.signal })),
    'invoke of version v1': once(async (given) =>
      agentOf(given, { version: 'v1' }).invoke(ask, { signal: given.signal }),
    ),
    stream: once(async (given) =>
      read(await agentOf(given).stream(ask, { streamMode: ['messages', 'updates'], signal: given.signal })),
    ),
    streamEvents: once(async (given) =>
      read(agentOf(given).streamEvents(ask, { version: 'v2', signal: given.signal })),
    ),
    batch: once(async (given) => agentOf(given).graph.batch([ask], { signal: given.signal })),
    'a tool that returns directly': once(async (given) =>
      agentOf(given, { tools: [payTool(given, { returnDirect: true })] }).invoke(ask, {
        signal: given.signal,
      }),
    ),
  },

  deafWays: {
    'an agent with callbacks': once(async (given) =>
      createAgent({ model: modelOf(given), tools: [payTool(given)] }).invoke(ask, watched(given)),
    ),
    'invoke of a ToolNode with callbacks': once(async (given) => graphOf(given).invoke(ask, watched(given))),
    'stream of a ToolNode with callbacks': once(async (given) =>
      read(await graphOf(given).stream(ask, watched(given))),
    ),
    'a tool with callbacks': async (given) => {
      await given.beforePay();
      return payTool(given).invoke({ to: 'ann' }, watched(given));
    },
  },

  async suspend(given) {
    script(given, PAYING, DONE);
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: 'thread-1' } };
    const waiting = await agentOf(given, { checkpointer }).invoke(ask, config);
    if (!('__interrupt__' in waiting)) throw new Error('the graph was not interrupted');
    return async (again) => {
      script(again, DONE);
      return agentOf(again, { checkpointer }).invoke(new Command({ resume: true }), config);
    };
  },

  subAgents: {
    'an agent that a tool runs': async (given, child, times) => {
      script(given, calling('ask_payer'), ...paying(times), DONE);
      const payer = agentOf(given, {}, child.view);
      const work = async () => String((await payer.invoke(ask)).messages.at(-1)?.content);
      const askPayer = tool(work, { name: 'ask_payer', description: 'asks', schema: z.object({}) });
      return agentOf(given, { tools: [askPayer] }).invoke(ask);
    },
  },
};
