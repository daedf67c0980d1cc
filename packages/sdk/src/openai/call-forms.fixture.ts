/** The forms in which a caller can ask for a reply. Each returns something that can be compared. */
import { collect } from '@mandate/testing';
import type { ModelReply } from '@mandate/testing/model-server';
import type OpenAI from 'openai';
import { MODEL } from './clients.fixture.ts';

export type CallForm = {
  name: string;
  run(openai: OpenAI): Promise<unknown>;
  /** The replies of the server. Default: a text. */
  replies?: ModelReply[];
  /** How many replies the caller asks for. Default: 1. */
  calls?: number;
};

const model = MODEL;
const messages = [{ role: 'user' as const, content: 'Hi' }];
const chat = { model, messages };
const responses = { model, input: 'Hi' };
const json = { text: '{"answer":42}' };
const format = {
  type: 'json_schema' as const,
  name: 'answer',
  strict: true,
  schema: {
    type: 'object',
    properties: { answer: { type: 'number' } },
    required: ['answer'],
    additionalProperties: false,
  },
};

const readTool = {
  type: 'function' as const,
  function: {
    name: 'read',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    parse: JSON.parse,
    function: ({ path }: { path: string }) => `content of ${path}`,
  },
};

export const CALL_FORMS: readonly CallForm[] = [
  { name: 'chat create', run: (openai) => openai.chat.completions.create(chat) },
  {
    name: 'chat create, streamed',
    run: async (openai) => collect(await openai.chat.completions.create({ ...chat, stream: true })),
  },
  {
    name: 'chat stream helper',
    run: (openai) => openai.chat.completions.stream(chat).finalChatCompletion(),
  },
  {
    name: 'chat parse',
    run: (openai) =>
      openai.chat.completions.parse({
        ...chat,
        response_format: { type: 'json_schema', json_schema: format },
      }),
    replies: [json],
  },
  {
    name: 'chat runTools',
    run: (openai) => openai.chat.completions.runTools({ ...chat, tools: [readTool] }).finalContent(),
    replies: [
      {
        toolCalls: [
          { name: 'read', args: { path: '/a' } },
          { name: 'read', args: { path: '/b' } },
        ],
      },
      { text: 'Both read.' },
    ],
    calls: 2,
  },
  {
    name: 'client.post',
    run: (openai) => openai.post('/chat/completions', { body: chat }),
  },
  { name: 'responses create', run: (openai) => openai.responses.create(responses) },
  {
    name: 'responses create, streamed',
    run: async (openai) => collect(await openai.responses.create({ ...responses, stream: true })),
  },
  {
    name: 'responses stream helper',
    run: (openai) => openai.responses.stream(responses).finalResponse(),
  },
  {
    name: 'responses parse',
    run: (openai) => openai.responses.parse({ ...responses, text: { format } }),
    replies: [json],
  },
  {
    name: 'embeddings',
    run: (openai) => openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] }),
  },
  {
    name: 'withResponse',
    run: async (openai) => {
      const { data, response, request_id } = await openai.chat.completions.create(chat).withResponse();
      return { data, status: response.status, request_id };
    },
  },
  {
    name: 'asResponse',
    run: async (openai) => {
      const response = await openai.chat.completions.create(chat).asResponse();
      return { status: response.status, body: await response.json() };
    },
  },
  {
    name: 'withOptions',
    run: (openai) => openai.withOptions({ timeout: 5_000 }).withOptions({}).chat.completions.create(chat),
  },
];
