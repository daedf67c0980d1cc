/** Vercel AI SDK: the model and the tools under one mandate. A refused tool becomes an error that the model reads. */
import { openai } from '@ai-sdk/openai';
import { Mandate } from '@mandate/sdk';
import { mandateModel, mandateTools } from '@mandate/sdk/ai';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';

const mandate = new Mandate({
  agentId: 'clerk',
  mandate: { maxCostTotal: 1, allowedTools: ['readFile'], allowedModels: ['gpt-4o'] },
});

const { text, steps } = await generateText({
  model: wrapLanguageModel({ model: openai.chat('gpt-4o'), middleware: mandateModel(mandate) }),
  tools: mandateTools(mandate, {
    readFile: tool({
      description: 'Reads a file',
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }) => `the content of ${path}`,
    }),
    deleteFile: tool({
      description: 'Deletes a file',
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }) => `deleted ${path}`,
    }),
  }),
  stopWhen: isStepCount(3),
  prompt: 'Delete /srv/data.csv',
});

for (const { content } of steps)
  for (const part of content)
    if (part.type === 'tool-error') console.log('the model read:', String(part.error));
console.log('the model said:', text);
console.log('spent', (await mandate.getCost()).llmMicros, 'micro-dollars');
