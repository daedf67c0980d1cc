/** An HTTP server that answers with exactly the bytes that a test gives it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Frame } from '../wire/frame.ts';

export type RawRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The message of a POST. Empty if the body is no JSON. */
  frame: Frame;
};

export type RawHttpServer = AsyncDisposable & { url: string; requests: readonly RawRequest[] };

/**
 * Requests of the proxy itself are not among the requests. They are refused, or get the tools.
 *
 * @param answer writes the whole answer, or leaves it open
 */
export async function serveRaw(
  answer: (request: RawRequest, response: ServerResponse) => void | Promise<void>,
  tools?: readonly object[],
): Promise<RawHttpServer> {
  const requests: RawRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const body = await buffer(incoming);
    const request = { method, path: url, headers, body, frame: frameOf(body) };
    if (isOfProxy(request.frame)) {
      const error = { code: -32601, message: 'no list' };
      const said = tools === undefined ? { error } : { result: { tools } };
      sendJson(response, { jsonrpc: '2.0', id: request.frame.id, ...said });
      return;
    }
    requests.push(request);
    await answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** True if the proxy itself asks for the list of tools. */
function isOfProxy({ id, method }: Frame): boolean {
  return method === 'tools/list' && typeof id === 'string' && id.startsWith('mandate-');
}

function frameOf(body: Buffer): Frame {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}

export function sendJson(
  response: ServerResponse,
  frame: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(frame));
}

/** Answers with a stream of events. The text is sent as it is. */
export function sendEvents(
  response: ServerResponse,
  text: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(text);
}
