/**
 * The real tools of the demo: two MCP servers from npm, each in its own process. They speak over stdio, so one agent
 * each could use them. A small bridge serves them over HTTP, so that all agents share them.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';

export const SERVERS = {
  files: '@modelcontextprotocol/server-filesystem',
  everything: '@modelcontextprotocol/server-everything',
} as const;

export type ServerName = keyof typeof SERVERS;

/** A call that reached a server. */
type ReachedCall = { server: ServerName; args: Readonly<Record<string, unknown>> };

export type ToolServers = {
  urls: Readonly<Record<ServerName, string>>;
  /** Returns how many tools a server has. */
  countTools(server: ServerName): Promise<number>;
  /** The calls that reached a server, as seen behind the proxies. */
  reached: readonly ReachedCall[];
  stop(): Promise<void>;
};

/** @param folder the only folder that agents can read or change through the filesystem server */
export async function startToolServers(folder: string): Promise<ToolServers> {
  await using cleaning = new AsyncDisposableStack();
  const reached: ReachedCall[] = [];
  const clients = new Map<ServerName, Client>();
  const start = async (server: ServerName, args: readonly string[]) => {
    const client = cleaning.adopt(await startServer(SERVERS[server], args), (started) => started.close());
    clients.set(server, client);
    const bridge = await serveOverHttp(client, (called) => void reached.push({ server, args: called }));
    return cleaning.use(bridge).url;
  };
  const [files, everything] = await Promise.all([start('files', [folder]), start('everything', ['stdio'])]);
  const started = cleaning.move();
  return {
    ...{ urls: { files, everything }, reached, stop: () => started.disposeAsync() },
    async countTools(server) {
      const listed = await clients.get(server)?.listTools();
      return listed?.tools.length ?? 0;
    },
  };
}

async function startServer(packageName: string, args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'bridge', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [executableOf(packageName), ...args],
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

/** Returns the program of a package of npm. */
export function executableOf(packageName: string): string {
  const manifestPath = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  const manifest: { bin: Record<string, string> } = createRequire(import.meta.url)(manifestPath);
  const [bin] = Object.values(manifest.bin);
  if (bin === undefined) throw new Error(`${packageName} has no executable`);
  return join(dirname(manifestPath), bin);
}

/**
 * Serves the tools of a server over streamable HTTP, without sessions.
 *
 * @param onCall is called before each call of a tool
 */
async function serveOverHttp(
  client: Client,
  onCall: (args: Readonly<Record<string, unknown>>) => void,
): Promise<AsyncDisposable & { url: string }> {
  let host = '';
  const listening = createServer(async (request, response) => {
    const server = new Server({ name: 'bridge', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params = {} }) =>
      client.request({ method: 'tools/list', params }, ListToolsResultSchema),
    );
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      onCall(params.arguments ?? {});
      return client.request({ method: 'tools/call', params }, CallToolResultSchema);
    });
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: true,
      // A web page could reach this address under another name.
      enableDnsRebindingProtection: true,
      allowedHosts: [host],
    });
    response.once('close', () => void server.close());
    if (request.method !== 'POST') return void response.writeHead(405).end();
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  host = `127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/mcp`,
    async [Symbol.asyncDispose]() {
      listening.close();
      listening.closeAllConnections();
      await once(listening, 'close');
    },
  };
}
