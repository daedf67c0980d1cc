/** MCP servers over HTTP for tests: one for each era of the protocol. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

type Received = {
  method: string;
  headers: IncomingMessage['headers'];
  params: { _meta?: Record<string, unknown> };
};

export type HttpServer = { url: string; requests: Received[] };

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Received & { id?: number },
) => unknown;

async function listen(answer: Answer): Promise<HttpServer> {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const body = (await json(request)) as Received & { id?: number };
    requests.push({ method: body.method, headers: request.headers, params: body.params ?? {} });
    await answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}

/** A server of the revisions before 2026, made with the SDK of that time. It keeps no session. */
export function startLegacyServer(): Promise<HttpServer> {
  return listen(async (request, response, body) => {
    const server = new McpServer({ name: 'legacy', version: '1.0.0' });
    server.registerTool(
      'greet',
      { description: 'Greets.', inputSchema: { name: z.string() } },
      async ({ name }) => ({ content: [{ type: 'text', text: `Good day, ${name}.` }] }),
    );
    const transport = new StreamableHTTPServerTransport({});
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response, body);
  });
}

const greet = {
  name: 'greet',
  description: 'Greets.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
  annotations: { idempotentHint: true },
};

type Behaviour = { status?: number; result?: object; error?: { code: number; message: string } };

/**
 * A server of the revision 2026-07-28, written without an SDK: each request is complete in itself. `call` is the answer
 * to calls.
 */
export function startModernServer(call: Behaviour = {}): Promise<HttpServer> {
  const cacheable = { ttlMs: 0, cacheScope: 'private' };
  const results: Record<string, object> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cacheable },
    'tools/list': { tools: [greet], ...cacheable },
    'tools/call': call.result ?? { content: [{ type: 'text', text: 'Good day.' }] },
  };
  return listen((_request, response, { id, method }) => {
    const isCall = method === 'tools/call';
    const result = results[method];
    const error =
      (isCall ? call.error : undefined) ??
      (result === undefined ? { code: -32601, message: 'Method not found' } : undefined);
    response.writeHead((isCall ? call.status : undefined) ?? 200, { 'content-type': 'application/json' });
    const answer = error === undefined ? { result: { resultType: 'complete', ...result } } : { error };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
}
