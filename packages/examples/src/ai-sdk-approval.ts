/** Vercel AI SDK 7: a call that a person must approve becomes a request for an approval of the AI SDK. */
import { openai } from '@ai-sdk/openai';
import { findMandateError } from '@mandate/sdk';
import { mandateModel, mandateToolApproval, mandateTools } from '@mandate/sdk/ai';
import { generateText, type ModelMessage, type ToolContent, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { mandate } from './clerk-that-pays.ts';

const model = wrapLanguageModel({ model: openai.chat('gpt-4o'), middleware: mandateModel(mandate) });
const tools = mandateTools(mandate, {
  pay: tool({
    description: 'Pays a person',
    inputSchema: z.object({ to: z.string() }),
    execute: async ({ to }) => `paid ${to}`,
  }),
});
const messages: ModelMessage[] = [{ role: 'user', content: 'Pay Ann.' }];

const toolApproval = mandateToolApproval(mandate, { tools });
const first = await generateText({ model, tools, toolApproval, messages });
const answers: ToolContent = [];
for (const part of first.content) {
  if (part.type !== 'tool-approval-request' || part.isAutomatic) continue;
  const { toolName, toolCallId, input } = part.toolCall;
  const call = { tool: toolName, args: input, options: { callId: toolCallId } };
  // A second ask about the same call opens no second question. Its error has the `approvalId` of the first one.
  const asking = mandate.agent().ask({ type: 'tool_call', ...call });
  const question = await asking.then(() => null, findMandateError);
  console.log(question?.code, input);
  if (question?.code === 'APPROVAL_REQUIRED') await mandate.approve(question, { by: 'eva' });
  answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved: true });
}
messages.push(...first.response.messages, { role: 'tool', content: answers });
const { text } = await generateText({ model, tools, toolApproval, messages });

console.log('the model said:', text);
console.log('spent', ((await mandate.getCost()).toolMicros ?? 0) / 1_000_000, 'dollars');
