/**
 * A model provider for tests: a real HTTP server on this machine that speaks the protocols of OpenAI and Anthropic. A
 * script states each reply and what goes wrong. The server keeps what it received.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelReply, ModelScript, ReceivedRequest } from './reply.ts';
import { errorBody, ROUTES } from './routes.ts';
import { ScriptedReplies } from './scripted-replies.ts';
import { sendEvents } from './send-events.ts';

export type ModelServer = AsyncDisposable & {
  /** The base URL for Anthropic's SDK. */
  url: string;
  /** The base URL for OpenAI's SDK. */
  openaiUrl: string;
  /** Every request so far, retries included. */
  requests: readonly ReceivedRequest[];
  /** Replaces the script for the requests from now on. */
  script(script: ModelScript): void;
  close(): Promise<void>;
};

export async function startModelServer(script: ModelScript = {}): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  let replies = new ScriptedReplies(script);
  const server = createServer((request, response) => {
    response.on('error', () => {});
    answer(request, response, requests, (received) => replies.next(received)).catch((error) => {
      if (!response.headersSent) response.writeHead(500, { 'x-should-retry': 'false' });
      response.end(JSON.stringify({ error: { message: `model server: ${error}` } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url,
    openaiUrl: `${url}/v1`,
    requests,
    script: (next) => {
      replies = new ScriptedReplies(next);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: ReceivedRequest[],
  next: (received: ReceivedRequest) => ReturnType<ScriptedReplies['next']>,
): Promise<void> {
  const body = bodyOf(await text(request));
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const received: ReceivedRequest = {
    method: request.method ?? '',
    path: pathname,
    headers: request.headers as Record<string, string>,
    body,
    eventsSent: 0,
    state: 'open',
    status: null,
  };
  requests.push(received);
  const number = requests.length;
  response.setHeader('x-request-id', `req_${number}`);
  response.setHeader('request-id', `req_${number}`);
  response.on('close', () => {
    if (received.state !== 'cut') received.state = response.writableFinished ? 'answered' : 'aborted';
  });
  const { reply, failure } = await next(received);
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (response.destroyed) return;
  if (failure !== null) {
    return fail(response, received, failure.status, 'The script fails this request.', failure.retryAfterMs);
  }
  const protocol = ROUTES.get(`${received.method} ${pathname}`);
  if (reply.json === undefined && protocol === undefined) {
    return fail(response, received, 404, `The model server does not know ${received.method} ${pathname}.`);
  }
  const turn = { body: body ?? {}, reply, number };
  if (reply.json === undefined && protocol?.events !== undefined && turn.body.stream === true) {
    return sendEvents(response, protocol.events(turn), reply, protocol, received);
  }
  await sendWhole(response, reply.json ?? protocol?.answer(turn), reply, received);
}

function bodyOf(sent: string): ReceivedRequest['body'] {
  if (sent === '') return null;
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

function fail(
  response: ServerResponse,
  received: ReceivedRequest,
  status: number,
  message: string,
  retryAfterMs?: number,
): void {
  if (retryAfterMs !== undefined) {
    response.setHeader('retry-after-ms', retryAfterMs);
    response.setHeader('retry-after', Math.ceil(retryAfterMs / 1_000));
  }
  received.status = status;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(errorBody(received.path, status, message)));
}

async function sendWhole(
  response: ServerResponse,
  body: unknown,
  { fault }: ModelReply,
  received: ReceivedRequest,
): Promise<void> {
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'cut') {
    received.state = 'cut';
    response.destroy();
    return;
  }
  received.status = 200;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
