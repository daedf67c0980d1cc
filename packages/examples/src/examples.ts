/** The examples by name. Each has the replies of the model server, because no model runs on this machine. */
import type { ModelReply } from '@mandate/testing/model-server';

export type Example = {
  /** The purpose of the example, in one line. */
  shows: string;
  /** The replies of the model, one for each request. The last reply repeats. */
  replies?: readonly ModelReply[];
  /** Runs the example. The program of the example is the file that this imports. */
  run(): Promise<unknown>;
};

const usage = { inputTokens: 300, outputTokens: 20 };
const asks = (name: string, args: object): ModelReply => ({ toolCalls: [{ name, args }], usage });

export const EXAMPLES: Readonly<Record<string, Example>> = {
  'openai-basic': {
    shows: 'a client of OpenAI under a budget of a few calls',
    replies: [{ text: 'Paris.', usage: { inputTokens: 1_200, outputTokens: 400 } }],
    run: () => import('./openai-basic.ts'),
  },
  'anthropic-basic': {
    shows: 'a client of Anthropic that may use one model only',
    replies: [{ text: 'Paris.', usage: { inputTokens: 1_200, outputTokens: 400 } }],
    run: () => import('./anthropic-basic.ts'),
  },
  'ai-sdk': {
    shows: 'Vercel AI SDK: the model and the tools under one mandate',
    replies: [asks('deleteFile', { path: '/srv/data.csv' }), { text: 'I may not delete files.', usage }],
    run: () => import('./ai-sdk.ts'),
  },
  'ai-sdk-approval': {
    shows: 'Vercel AI SDK 7: a person approves a call, and it then runs once',
    replies: [asks('pay', { to: 'ann' }), { text: 'Ann has her money.', usage }],
    run: () => import('./ai-sdk-approval.ts'),
  },
  langchain: {
    shows: 'LangChain: a middleware governs the model and the tools',
    replies: [asks('delete_file', { path: '/srv/data.csv' }), { text: 'I may not delete files.', usage }],
    run: () => import('./langchain.ts'),
  },
  'langchain-approval': {
    shows: 'LangChain: a call interrupts the graph until a person approves it',
    replies: [asks('pay', { to: 'ann' }), { text: 'Ann has her money.', usage }],
    run: () => import('./langchain-approval.ts'),
  },
  'openai-agents': {
    shows: 'OpenAI Agents SDK: an agent and its model provider under a mandate',
    replies: [asks('delete_file', { path: '/srv/data.csv' }), { text: 'I may not delete files.', usage }],
    run: () => import('./openai-agents.ts'),
  },
  'claude-agent': {
    shows: 'Claude Agent SDK: hooks that ask before each tool',
    run: () => import('./claude-agent.ts'),
  },
  'direct-tools': {
    shows: 'plain functions: a price, a budget, a refusal that says what to do, and the kill switch',
    run: () => import('./direct-tools.ts'),
  },
  'human-approval': {
    shows: 'a call that a person must approve, and that then runs once',
    run: () => import('./human-approval.ts'),
  },
  tutor: {
    shows: 'a tutor under a manifest: turns, memory in a vector store, and notes in categories',
    replies: [
      { text: 'Nice to meet you, Mia. Write to teacher@example.com.', usage },
      {
        toolCalls: [
          { name: 'create_cards', args: { topic: 'food' } },
          { name: 'reset_plan', args: {} },
        ],
        usage,
      },
    ],
    run: () => import('./tutor.ts'),
  },
  'sub-agents': {
    shows: 'a sub-agent that is narrower than its parent and spends the budget of its parent',
    run: () => import('./sub-agents.ts'),
  },
};
