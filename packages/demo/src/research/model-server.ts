/**
 * A provider of models on this machine. It speaks the chat completions of OpenAI, so the runner calls it with OpenAI's
 * own SDK. What it answers is scripted: it depends only on what the conversation contains.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type ChatMessage = { role: string; content: string | null };

type ChatRequest = { model: string; messages: readonly ChatMessage[] };

export type ChatReply = {
  text?: string;
  call?: { tool: string; args: object };
  usage: { input: number; output: number };
};

/** Returns the reply to a conversation. Null: the model thinks, and never answers. */
export type ChatScript = (model: string, messages: readonly ChatMessage[]) => ChatReply | null;

export type ModelServer = { url: string; close(): Promise<void> };

export async function startModelServer(script: ChatScript): Promise<ModelServer> {
  let answered = 0;
  const server = createServer(async (request, response) => {
    try {
      const { model, messages } = (await json(request)) as ChatRequest;
      const reply = script(model, messages);
      if (reply !== null) send(response, 200, completion(`chatcmpl-${++answered}`, model, reply));
    } catch (error) {
      send(response, 400, { error: { message: String(error), type: 'invalid_request_error' } });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function completion(id: string, model: string, { text, call, usage }: ChatReply): object {
  const calls = call && [
    {
      id: `call_${id}`,
      type: 'function',
      function: { name: call.tool, arguments: JSON.stringify(call.args) },
    },
  ];
  return {
    ...{ id, model, object: 'chat.completion', created: 0 },
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text ?? null,
          refusal: null,
          ...(calls && { tool_calls: calls }),
        },
        finish_reason: calls ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
  };
}
