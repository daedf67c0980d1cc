/** The ways of the OpenAI Agents SDK to run a tool. */

import { collect } from '@mandate/testing';
import {
  Agent,
  handoff,
  type MCPServer,
  OpenAIProvider,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { z } from 'zod';
import type { Mandate } from '../../index.ts';
import { governAgent } from '../../openai-agents/index.ts';
import type { Framework, RunSetup } from './framework.ts';
import { calling, DONE, PAYING, paying, payingOnce, scriptModel } from './scripted-model.ts';

setTracingDisabled(true);

function payTool(setup: RunSetup, more: object = {}) {
  const execute = async ({ to }: { to: string }) => setup.pay(to);
  return tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({ to: z.string() }),
    execute,
    ...more,
  });
}

function runnerOf({ server }: RunSetup, useResponses = false): Runner {
  const modelProvider = new OpenAIProvider({ apiKey: 'sk-test', baseURL: server.openaiUrl, useResponses });
  return new Runner({ modelProvider, model: 'gpt-4o', tracingDisabled: true });
}

function agentOf(setup: RunSetup, more: object = {}, mandate: Mandate = setup.mandate) {
  return governAgent(mandate, new Agent({ name: 'bot', tools: [payTool(setup)], ...more }));
}

const ASK = 'Pay Ann.';
const AS_TOOL = { toolName: 'ask_payer', toolDescription: 'asks the payer' };

async function streamed(setup: RunSetup, agent: Agent): Promise<void> {
  const stream = await runnerOf(setup).run(agent, ASK, { stream: true, signal: setup.signal });
  await collect(stream);
  await stream.completed;
}

const run = (setup: RunSetup, agent: Agent) => runnerOf(setup).run(agent, ASK, { signal: setup.signal });

/** A server in this process with the tool `pay`. */
function mcpServer({ pay }: RunSetup): MCPServer {
  return {
    name: 'bank',
    cacheToolsList: false,
    connect: async () => {},
    close: async () => {},
    invalidateToolsCache: async () => {},
    listTools: async () => [
      {
        name: 'pay',
        description: 'pays',
        inputSchema: {
          type: 'object',
          properties: { to: { type: 'string' } },
          required: ['to'],
          additionalProperties: false,
        },
      },
    ],
    callTool: async (_name: string, args: Record<string, unknown> | null) => [
      { type: 'text', text: pay(String(args?.to)) },
    ],
  };
}

export const openaiAgents: Framework = {
  ways: {},

  waysWithLateSignal: {
    run: payingOnce((setup) => run(setup, agentOf(setup))),
    stream: payingOnce((setup) => streamed(setup, agentOf(setup))),
    'run with the Responses API': payingOnce((setup) =>
      runnerOf(setup, true).run(agentOf(setup), ASK, { signal: setup.signal }),
    ),
    'a run that ends with the tool': payingOnce((setup) =>
      run(setup, agentOf(setup, { toolUseBehavior: 'stop_on_first_tool' })),
    ),
    'a clone': payingOnce((setup) => run(setup, agentOf(setup).clone({ name: 'clone' }))),
    'a tool of an MCP server': payingOnce((setup) =>
      run(setup, agentOf(setup, { tools: [], mcpServers: [mcpServer(setup)] })),
    ),
    'a tool that the user approved': payingOnce(async (setup) => {
      const agent = agentOf(setup, { tools: [payTool(setup, { needsApproval: true })] });
      const { state, interruptions } = await run(setup, agent);
      for (const one of interruptions) state.approve(one);
      return runnerOf(setup).run(agent, state, { signal: setup.signal });
    }),
    'an agent of a handoff': (setup) => {
      scriptModel(setup, calling('transfer_to_payer'), PAYING, DONE);
      const payer = new Agent({ name: 'payer', tools: [payTool(setup)] });
      return run(setup, agentOf(setup, { tools: [], handoffs: [payer] }));
    },
    'an agent of a handoff, streamed': (setup) => {
      scriptModel(setup, calling('transfer_to_payer'), PAYING, DONE);
      const payer = new Agent({ name: 'payer', tools: [payTool(setup)] });
      return streamed(setup, agentOf(setup, { tools: [], handoffs: [handoff(payer)] }));
    },
    'an agent as a tool': (setup) => {
      scriptModel(setup, calling('ask_payer', { input: ASK }), PAYING, DONE);
      return run(setup, agentOf(setup, { tools: [agentOf(setup).asTool(AS_TOOL)] }));
    },
  },

  async suspend(setup) {
    scriptModel(setup, PAYING, DONE);
    const waiting = await run(setup, agentOf(setup));
    if (waiting.interruptions.length !== 1) throw new Error('the run was not interrupted');
    const kept = waiting.state.toString();
    return async (again) => {
      scriptModel(again, DONE);
      const agent = agentOf(again);
      const state = await RunState.fromString(agent, kept);
      for (const one of state.getInterruptions()) state.approve(one);
      return runnerOf(again).run(agent, state);
    };
  },

  subAgents: {
    'an agent of a handoff': (setup, child, times) => {
      scriptModel(setup, calling('transfer_to_payer'), ...paying(times), DONE);
      const payer = agentOf(setup, { name: 'payer' }, child.view);
      return run(setup, agentOf(setup, { tools: [], handoffs: [payer] }));
    },
    'an agent as a tool': (setup, child, times) => {
      scriptModel(setup, calling('ask_payer', { input: ASK }), ...paying(times), DONE);
      const payer = agentOf(setup, { name: 'payer' }, child.view);
      return run(setup, agentOf(setup, { tools: [payer.asTool(AS_TOOL)] }));
    },
  },
};
