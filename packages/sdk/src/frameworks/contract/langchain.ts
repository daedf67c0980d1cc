/** The ways of LangChain and LangGraph to run a tool. */
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { collect } from '@mandate/testing';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import type { Mandate } from '../../index.ts';
import { mandateCallbacks, mandateMiddleware } from '../../langchain/index.ts';
import type { Framework, RunSetup } from './framework.ts';
import { calling, DONE, PAYING, paying, payingOnce, scriptModel } from './scripted-model.ts';

const ask = { messages: [{ role: 'user' as const, content: 'Pay Ann.' }] };

function modelOf({ server }: RunSetup): ChatOpenAI {
  const configuration = { baseURL: server.openaiUrl };
  return new ChatOpenAI({ model: 'gpt-4o', apiKey: 'sk-test', maxRetries: 0, configuration });
}

function payTool(setup: RunSetup, more: object = {}) {
  const work = async ({ to }: { to: string }) => setup.pay(to);
  return tool(work, { name: 'pay', description: 'pays', schema: z.object({ to: z.string() }), ...more });
}

function agentOf(setup: RunSetup, more: object = {}, mandate: Mandate = setup.mandate) {
  const middleware = [mandateMiddleware(mandate)];
  return createAgent({ model: modelOf(setup), tools: [payTool(setup)], middleware, ...more });
}

/** A graph that the test builds itself, without middleware. */
function graphOf(setup: RunSetup) {
  const tools = [payTool(setup)];
  const model = modelOf(setup).bindTools(tools);
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

const watched = ({ mandate, signal }: RunSetup) => ({ callbacks: [mandateCallbacks(mandate)], signal });

export const langChain: Framework = {
  ways: {
    invoke: payingOnce(async (setup) => agentOf(setup).invoke(ask, { signal: setup.signal })),
    'invoke of version v1': payingOnce(async (setup) =>
      agentOf(setup, { version: 'v1' }).invoke(ask, { signal: setup.signal }),
    ),
    stream: payingOnce(async (setup) =>
      collect(
        await agentOf(setup).stream(ask, { streamMode: ['messages', 'updates'], signal: setup.signal }),
      ),
    ),
    streamEvents: payingOnce(async (setup) =>
      collect(agentOf(setup).streamEvents(ask, { version: 'v2', signal: setup.signal })),
    ),
    batch: payingOnce(async (setup) => agentOf(setup).graph.batch([ask], { signal: setup.signal })),
    'a tool that returns directly': payingOnce(async (setup) =>
      agentOf(setup, { tools: [payTool(setup, { returnDirect: true })] }).invoke(ask, {
        signal: setup.signal,
      }),
    ),
  },

  waysWithoutSignal: {
    'an agent with callbacks': payingOnce(async (setup) =>
      createAgent({ model: modelOf(setup), tools: [payTool(setup)] }).invoke(ask, watched(setup)),
    ),
    'invoke of a ToolNode with callbacks': payingOnce(async (setup) =>
      graphOf(setup).invoke(ask, watched(setup)),
    ),
    'stream of a ToolNode with callbacks': payingOnce(async (setup) =>
      collect(await graphOf(setup).stream(ask, watched(setup))),
    ),
    'a tool with callbacks': async (setup) => {
      await setup.beforePay();
      return payTool(setup).invoke({ to: 'ann' }, watched(setup));
    },
  },

  async suspend(setup) {
    scriptModel(setup, PAYING, DONE);
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: 'thread-1' } };
    const waiting = await agentOf(setup, { checkpointer }).invoke(ask, config);
    if (!('__interrupt__' in waiting)) throw new Error('the graph was not interrupted');
    return async (again) => {
      scriptModel(again, DONE);
      return agentOf(again, { checkpointer }).invoke(new Command({ resume: true }), config);
    };
  },

  subAgents: {
    'an agent that a tool runs': async (setup, child, times) => {
      scriptModel(setup, calling('ask_payer'), ...paying(times), DONE);
      const payer = agentOf(setup, {}, child.view);
      const work = async () => String((await payer.invoke(ask)).messages.at(-1)?.content);
      const askPayer = tool(work, { name: 'ask_payer', description: 'asks', schema: z.object({}) });
      return agentOf(setup, { tools: [askPayer] }).invoke(ask);
    },
  },
};
