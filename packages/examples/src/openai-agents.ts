/** OpenAI Agents SDK: the tools of an agent and its model provider under a mandate. */
import { Mandate } from '@mandate/sdk';
import { governAgent, governProvider } from '@mandate/sdk/openai-agents';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';

const mandate = new Mandate({
  agentId: 'clerk',
  mandate: { maxCostTotal: 1, allowedTools: ['read_file'], allowedModels: ['gpt-4o'] },
});

const clerk = new Agent({
  name: 'clerk',
  model: 'gpt-4o',
  tools: [
    tool({
      name: 'read_file',
      description: 'Reads a file',
      parameters: z.object({ path: z.string() }),
      execute: async ({ path }) => `the content of ${path}`,
    }),
    tool({
      name: 'delete_file',
      description: 'Deletes a file',
      parameters: z.object({ path: z.string() }),
      execute: async ({ path }) => `deleted ${path}`,
    }),
  ],
});

const provider = new OpenAIProvider({ useResponses: true });
const runner = new Runner({ modelProvider: governProvider(mandate, provider), tracingDisabled: true });
const result = await runner.run(governAgent(mandate, clerk), 'Delete /srv/data.csv');

for (const item of result.newItems) {
  if (item.type === 'tool_call_output_item') console.log('the model read:', item.output);
}
console.log('the model said:', result.finalOutput);
console.log('spent', (await mandate.getCost()).llmMicros, 'micro-dollars');
