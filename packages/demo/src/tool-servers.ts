/** The real tools of the demo: two MCP servers from npm. Each runs in its own process and speaks over stdio. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** Calls a tool named `<server>.<tool>`. Throws if the tool fails. */
export type ToolServers = {
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** How many times a tool was really called. */
  calls(): number;
  close(): Promise<void>;
};

const CALL_TIMEOUT_MS = 20_000;

/** @param folder the only folder that agents can read or change through the filesystem server */
export async function startToolServers(folder: string): Promise<ToolServers> {
  const servers = new Map<string, Client>();
  servers.set('files', await start('@modelcontextprotocol/server-filesystem', [folder]));
  servers.set('everything', await start('@modelcontextprotocol/server-everything', ['stdio']));
  let calls = 0;
  return {
    async call(name, args) {
      const dot = name.indexOf('.');
      const server = servers.get(name.slice(0, dot));
      if (server === undefined) throw new Error(`no MCP server for the tool ${name}`);
      calls++;
      const result = await server.callTool({ name: name.slice(dot + 1), arguments: { ...args } }, undefined, {
        timeout: CALL_TIMEOUT_MS,
      });
      const text = textOf(result.content);
      if (result.isError === true) throw new Error(text);
      return text;
    },
    calls: () => calls,
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

async function start(packageName: string, args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'mandate-demo', version: '1.0.0' });
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

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}
