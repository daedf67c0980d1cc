/** LangChain: one middleware puts the model and the tools of an agent under a mandate. */
import { ChatOpenAI } from '@langchain/openai';
import { Mandate } from '@mandate/sdk';
import { mandateMiddleware } from '@mandate/sdk/langchain';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const mandate = new Mandate({
  agentId: 'clerk',
  mandate: { maxCostTotal: 1, allowedTools: ['read_file'], allowedModels: ['gpt-4o'] },
});

const schema = z.object({ path: z.string() });
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-4o' }),
  tools: [
    tool(({ path }: { path: string }) => `the content of ${path}`, {
      name: 'read_file',
      description: 'Reads a file',
      schema,
    }),
    tool(({ path }: { path: string }) => `deleted ${path}`, {
      name: 'delete_file',
      description: 'Deletes a file',
      schema,
    }),
  ],
  middleware: [mandateMiddleware(mandate)],
});

const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Delete /srv/data.csv' }] });
for (const message of messages) {
  if (message.type === 'tool') console.log('the model read:', message.text);
}
console.log('the model said:', messages.at(-1)?.text);
console.log('spent', (await mandate.getCost()).llmMicros, 'micro-dollars');
