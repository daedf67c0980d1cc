/** Serves the fixture over streamable HTTP: with sessions in the older era, and without state in the newer era. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { conformanceServers } from './conformance-server.ts';
import { eventStore } from './event-store.ts';

/** How long a client of the older era waits before it connects again. The suite waits as long. */
const RETRY_MS = 500;

export type ServedFixture = AsyncDisposable & { url: string };

/** @param port 0: any free port */
export async function serveFixtureOverHttp(port = 0): Promise<ServedFixture> {
  const factory = conformanceServers({
    tools: () => modern.notify.toolsChanged(),
    prompts: () => modern.notify.promptsChanged(),
  });
  const modern = createMcpHandler(factory, { legacy: 'reject' });
  const sessions = withSessions(factory);
  const handle = toNodeHandler({
    fetch: async (request) =>
      (await isLegacyRequest(request)) ? sessions.fetch(request) : modern.fetch(request),
  });
  const hasOurHost = localhostHostValidation();
  const hasOurOrigin = localhostOriginValidation();
  const server = createServer(async (request, response) => {
    if (!hasOurHost(request, response) || !hasOurOrigin(request, response)) return;
    const { method = 'GET', url = '/' } = request;
    await handle(Object.assign(request, { method, url }), response);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await Promise.all([modern.close(), sessions.close()]);
      server.closeAllConnections();
      server.close();
    },
  };
}

function withSessions(factory: McpServerFactory) {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return {
    async fetch(request: Request): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      if (id !== null) return transports.get(id)?.handleRequest(request) ?? unknownSession();
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (started) => void transports.set(started, transport),
        onsessionclosed: (closed) => void transports.delete(closed),
        eventStore: eventStore(),
        retryInterval: RETRY_MS,
      });
      const server = await factory({ era: 'legacy' });
      await server.connect(transport);
      return transport.handleRequest(request);
    },
    async close(): Promise<void> {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

function unknownSession(): Response {
  const error = { code: -32001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
