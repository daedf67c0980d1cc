/**
 * Exposes a program that speaks MCP over stdio as an HTTP server, because the conformance suite speaks HTTP only. The
 * bridge passes messages on as they are. It checks what only HTTP has: hosts, origins, headers and sessions.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node';
import { classifyInboundRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { type BridgeSession, startBridgeSession } from './bridge-session.ts';
import { type BridgeStateless, startBridgeStateless } from './bridge-stateless.ts';
import type { Frame } from './frame.ts';
import type { Command } from './stdio-process.ts';

export async function startStdioBridge(command: Command): Promise<AsyncDisposable & { url: string }> {
  // The SDK checks the version of the first message only. So each version has a program of its own.
  const stateless = new Map<unknown, BridgeStateless>();
  const sessions = new Map<string, BridgeSession>();
  // Started ahead, because the suite opens one session after another.
  let next = startBridgeSession(command);
  const hasOurHost = localhostHostValidation();
  const hasOurOrigin = localhostOriginValidation();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!hasOurHost(request, response) || !hasOurOrigin(request, response)) return;
    const body: Frame | undefined = request.method === 'POST' ? JSON.parse(await text(request)) : undefined;
    const era = classifyInboundRequest({
      httpMethod: request.method ?? '',
      ...definedHeaders(request),
      body,
    });
    if (era.kind === 'reject') {
      const error = { code: era.code, message: era.message, data: era.data };
      return refuse(response, era.httpStatus, body?.id ?? null, error);
    }
    if (era.kind === 'legacy' || body === undefined) return handleSession(request, response, body);
    const version = body.params?._meta?.[PROTOCOL_VERSION_META_KEY];
    const ofVersion = stateless.get(version) ?? startBridgeStateless(command);
    stateless.set(version, ofVersion);
    ofVersion.post(body, response);
  }

  function handleSession(request: IncomingMessage, response: ServerResponse, body: Frame | undefined): void {
    const given = request.headers['mcp-session-id'];
    const isNew = given === undefined && body?.method === 'initialize';
    const id = isNew ? randomUUID() : String(given);
    if (isNew) {
      sessions.set(id, next);
      next = startBridgeSession(command);
    }
    const session = sessions.get(id);
    if (session === undefined) {
      refuse(response, given === undefined ? 400 : 404, null, { code: -32001, message: 'No session' });
    } else if (body !== undefined) session.post(body, response, { 'mcp-session-id': id });
    else if (request.method === 'GET') session.listen(response);
    else {
      sessions.delete(id);
      void session.process.stop();
      response.writeHead(200).end();
    }
  }

  const server = createServer((request, response) => void handle(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      const all = [next, ...stateless.values(), ...sessions.values()];
      await Promise.all(all.map(({ process }) => process.stop()));
    },
  };
}

function definedHeaders({ headers }: IncomingMessage) {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = headers;
  return {
    ...(version !== undefined && { protocolVersionHeader: String(version) }),
    ...(method !== undefined && { mcpMethodHeader: String(method) }),
    ...(name !== undefined && { mcpNameHeader: String(name) }),
  };
}

function refuse(response: ServerResponse, status: number, id: Frame['id'], error: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}
