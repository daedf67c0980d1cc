/**
 * An agent whose MCP client starts the MCP server as a process. The client starts `mandate mcp` with the command of the
 * server. Nothing else of the agent is changed.
 */
import type { ApiClient } from '@mandate/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { callTool } from './mcp-clients.ts';
import { optionsOf } from './mcp-proxies.ts';
import { executableOf, SERVERS } from './tool-servers.ts';

type Proxied = {
  /** The agent with its key. */
  agentId: string;
  key: string;
  url: string;
  /** The client of an operator. */
  api: ApiClient;
  /** The folder that the server of files may change. */
  folder: string;
  /** How many tools the server has. */
  serverTools: number;
  counted(count: number, noun: string): string;
  say(text: string): Promise<void>;
};

/** The package of the server. It has no idea of Mandate either. */
const SERVER = SERVERS.files;

/** Returns how many calls reached the server. */
export async function playProxied({
  agentId,
  key,
  url,
  api,
  folder,
  serverTools,
  counted,
  say,
}: Proxied): Promise<number> {
  const client = new Client({ name: 'some-agent', version: '1.0.0' });
  const proxy = ['mcp', '--agent', agentId, ...optionsOf('files')];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [process.argv[1] ?? '', ...proxy, '--', process.execPath, executableOf(SERVER), folder],
      env: { MANDATE_URL: url, MANDATE_API_KEY: key },
      stderr: 'ignore',
    }),
  );
  let ran = 0;
  try {
    await say(`The client starts: mandate ${proxy.join(' ')} -- npx ${SERVER} <folder>`);
    const { tools } = await client.listTools();
    await say(
      `The server has ${counted(serverTools, 'tool')}. The client sees ${counted(tools.length, 'tool')}: ${tools.map(({ name }) => name).join(', ')}.`,
    );
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await callTool(client, name, args);
      if (result.ok) ran += 1;
      return result;
    };
    const read = await call('list_directory', { path: folder });
    await say(`The agent lists the folder, and gets ${counted(read.text.split('\n').length, 'line')}.`);
    const denied = await call('directory_tree', { path: folder });
    await say(`The agent calls a tool that is not in its list, and its model reads: ${denied.text}`);

    const args = { path: `${folder}/index.txt`, content: 'what is where' };
    const asked = await call('write_file', args);
    await say(`The server calls write_file destructive, so the model reads: ${withoutId(asked.text)}`);
    const { approvalId = '' } = asked.refusal ?? {};
    await api.post(`/v1/approvals/${approvalId}/approve`, { reason: 'a harmless file' });
    const again = await call('write_file', args);
    await say(
      again.ok
        ? 'The operator approves the call. The agent makes it again, and it runs.'
        : `The approved call did not run: ${again.text}`,
    );
    return ran;
  } finally {
    await client.close();
  }
}

/** The id of a question is long, and says nothing to a reader. */
function withoutId(text: string): string {
  return text.replace(/"apv_[^"]*"/, '"apv_…"');
}
