/** The ways of the OpenAI Agents SDK to run a tool. */
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
import { calling, DONE, type Framework, type Given, PAYING, paying, script, type Way } from './given.ts';

setTracingDisabled(true);

function payTool(given: Given, more: object = {}) {
  const execute = async ({ to }: { to: string }) => given.pay(to);
  return tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({ to: z.string() }),
    execute,
    ...more,
  });
}

function runnerOf({ server }: Given, useResponses = false): Runner {
  const modelProvider = new OpenAIProvider({ apiKey: 'sk-test', baseURL: server.openaiUrl, useResponses });
  return new Runner({ modelProvider, model: 'gpt-4o', tracingDisabled: true });
}

function agentOf(given: Given, more: object = {}, mandate: Mandate = given.mandate) {
  return governAgent(mandate, new Agent({ name: 'bot', tools: [payTool(given)], ...more }));
}

const ASK = 'Pay Ann.';
const AS_TOOL = { toolName: 'ask_payer', toolDescription: 'asks the payer' };

function once(run: (given: Given) => Promise<unknown>): Way {
  return (given) => {
    script(given, PAYING, DONE);
    return run(given);
  };
}

async function streamed(given: Given, agent: Agent): Promise<void> {
  const stream = await runnerOf(given).run(agent, ASK, { stream: true, signal: given.signal });
  for await (const _ of stream) {
    // Reads the stream to its end.
  }
  await stream.completed;
}

const run = (given: Given, agent: Agent) => runnerOf(given).run(agent, ASK, { signal: given.signal });

/** A server in this process with the tool `pay`. */
function mcpServer({ pay }: Given): MCPServer {
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

  lateWays: {
    run: once((given) => run(given, agentOf(given))),
    stream: once((given) => streamed(given, agentOf(given))),
    'run with the Responses API': once((given) =>
      runnerOf(given, true).run(agentOf(given), ASK, { signal: given.signal }),
    ),
    'a run that ends with the tool': once((given) =>
      run(given, agentOf(given, { toolUseBehavior: 'stop_on_first_tool' })),
    ),
    'a clone': once((given) => run(given, agentOf(given).clone({ name: 'clone' }))),
    'a tool of an MCP server': once((given) =>
      run(given, agentOf(given, { tools: [], mcpServers: [mcpServer(given)] })),
    ),
    'a tool that the user approved': once(async (given) => {
      const agent = agentOf(given, { tools: [payTool(given, { needsApproval: true })] });
      const { state, interruptions } = await run(given, agent);
      for (const one of interruptions) state.approve(one);
      return runnerOf(given).run(agent, state, { signal: given.signal });
    }),
    'an agent of a handoff': (given) => {
      script(given, calling('transfer_to_payer'), PAYING, DONE);
      const payer = new Agent({ name: 'payer', tools: [payTool(given)] });
      return run(given, agentOf(given, { tools: [], handoffs: [payer] }));
    },
    'an agent of a handoff, streamed': (given) => {
      script(given, calling('transfer_to_payer'), PAYING, DONE);
      const payer = new Agent({ name: 'payer', tools: [payTool(given)] });
      return streamed(given, agentOf(given, { tools: [], handoffs: [handoff(payer)] }));
    },
    'an agent as a tool': (given) => {
      script(given, calling('ask_payer', { input: ASK }), PAYING, DONE);
      return run(given, agentOf(given, { tools: [agentOf(given).asTool(AS_TOOL)] }));
    },
  },

  async suspend(given) {
    script(given, PAYING, DONE);
    const waiting = await run(given, agentOf(given));
    if (waiting.interruptions.length !== 1) throw new Error('the run was not interrupted');
    const kept = waiting.state.toString();
    return async (again) => {
      script(again, DONE);
      const agent = agentOf(again);
      const state = await RunState.fromString(agent, kept);
      for (const one of state.getInterruptions()) state.approve(one);
      return runnerOf(again).run(agent, state);
    };
  },

  subAgents: {
    'an agent of a handoff': (given, child, times) => {
      script(given, calling('transfer_to_payer'), ...paying(times), DONE);
      const payer = agentOf(given, { name: 'payer' }, child.view);
      return run(given, agentOf(given, { tools: [], handoffs: [payer] }));
    },
    'an agent as a tool': (given, child, times) => {
      script(given, calling('ask_payer', { input: ASK }), ...paying(times), DONE);
      const payer = agentOf(given, { name: 'payer' }, child.view);
      return run(given, agentOf(given, { tools: [payer.asTool(AS_TOOL)] }));
    },
  },
};
