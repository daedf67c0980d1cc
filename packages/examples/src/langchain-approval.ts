/** LangChain: a call that a person must approve interrupts the graph, and runs once after the approval. */
import { Command, isInterrupted, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { mandateMiddleware } from '@mandate/sdk/langchain';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { mandate } from './clerk-that-pays.ts';

const pay = tool(({ to }: { to: string }) => `paid ${to}`, {
  name: 'pay',
  description: 'Pays a person',
  schema: z.object({ to: z.string() }),
});
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-4o' }),
  tools: [pay],
  middleware: [mandateMiddleware(mandate)],
  checkpointer: new MemorySaver(),
});
const thread = { configurable: { thread_id: 'thread-1' } };

const waiting = await agent.invoke({ messages: [{ role: 'user', content: 'Pay Ann.' }] }, thread);
if (isInterrupted<{ approvalId: string }>(waiting)) {
  for (const { value } of waiting.__interrupt__) {
    console.log('a person must answer:', value);
    if (value !== undefined) await mandate.approve(value.approvalId, { by: 'eva' });
  }
}
const { messages } = await agent.invoke(new Command({ resume: true }), thread);

for (const message of messages) {
  if (message.type === 'tool') console.log('the model read:', message.text);
}
console.log('the model said:', messages.at(-1)?.text);
console.log('spent', ((await mandate.getCost()).toolMicros ?? 0) / 1_000_000, 'dollars');
