/** The clients of the official SDKs, of both generations, with the same handlers for what servers ask of a client. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Command } from '../wire/stdio-process.ts';

type OverStdio = { command: Command; env: Readonly<Record<string, string>> };

/** How a client reaches a server, and the folder that the client names as its root. */
export type Target = (OverStdio | { url: string }) & { root: string };

export type OfficialClient = {
  /** Sends a request of the SDK by its name there, such as `listTools`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare results of every method
  call(method: string, params: object): Promise<any>;
  /**
   * Calls a tool. Later reports of progress may come together with the result, so only the first report is returned.
   */
  callTool(params: { name: string; arguments: object }): Promise<{ firstProgress: unknown; result: unknown }>;
  /** Runs a tool as a task. Null: this client has no tasks of the older era. */
  runTask: ((params: { name: string; arguments: object }) => Promise<unknown[]>) | null;
  close(): Promise<void>;
};

const INFO = { name: 'mandate-test-client', version: '1.0.0' };
const CAPABILITIES = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
} as const;

const answers = {
  sampling: () => ({
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'Hello from the model.' },
    model: 'test-model',
  }),
  elicitation: () => ({
    action: 'accept' as const,
    content: { name: 'Ann', check: true, ok: true, color: 'red', context: 'here' },
  }),
};

function rootsOf({ root }: Target) {
  return () => ({ roots: [{ uri: `file://${root}`, name: 'root' }] });
}

// biome-ignore lint/suspicious/noExplicitAny: the two SDKs share these methods but no type
type AnyClient = any;

function driven(client: AnyClient, runTask: OfficialClient['runTask']): OfficialClient {
  return {
    call: (method, params) => client[method](params),
    async callTool(params) {
      const progress: unknown[] = [];
      const options = { onprogress: (report: unknown) => void progress.push(report) };
      const result = await (client instanceof ClientV1
        ? client.callTool(params as never, undefined, options)
        : client.callTool(params, options));
      return { firstProgress: progress[0], result };
    },
    runTask,
    close: () => client.close(),
  };
}

export async function connectV1(target: Target): Promise<OfficialClient> {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(CreateMessageRequestSchema, answers.sampling);
  client.setRequestHandler(ElicitRequestSchema, answers.elicitation);
  client.setRequestHandler(ListRootsRequestSchema, rootsOf(target));
  const transport =
    'url' in target
      ? new HttpV1(new URL(target.url))
      : new StdioV1({ ...stdioOptions(target), stderr: 'ignore' });
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  return driven(client, async (params) => {
    const messages: unknown[] = [];
    const stream = client.experimental.tasks.callToolStream({ ...params, task: { ttl: 60_000 } } as never);
    for await (const message of stream) messages.push(message);
    return messages;
  });
}

export async function connectV2(target: Target): Promise<OfficialClient> {
  return connectNewer(target, 'legacy');
}

/** The newer client in the newer era, without initialize. */
export async function connectModern(target: Target): Promise<OfficialClient> {
  return connectNewer(target, 'modern');
}

async function connectNewer(target: Target, era: 'legacy' | 'modern'): Promise<OfficialClient> {
  const client = new ClientV2(INFO, {
    enforceStrictCapabilities: true,
    capabilities: CAPABILITIES,
    ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  });
  client.setRequestHandler('sampling/createMessage', answers.sampling);
  client.setRequestHandler('elicitation/create', answers.elicitation);
  client.setRequestHandler('roots/list', rootsOf(target));
  const transport =
    'url' in target
      ? new HttpV2(new URL(target.url))
      : new StdioV2({ ...stdioOptions(target), stderr: 'ignore' });
  await client.connect(transport);
  return driven(client, null);
}

function stdioOptions({ command: [command, ...args], env }: OverStdio) {
  // The SDKs pass only a few variables on. Every run gets the same ones.
  return { command, args, env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env } };
}
