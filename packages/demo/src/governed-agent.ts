/**
 * An agent of the demo: an MCP client, and nothing else. It is governed because the addresses of its servers are those of
 * proxies. Two headers in its configuration say who it is.
 */
import type { Decision, Settlement } from '@mandate/schemas';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { LoggedCalls } from './logged-calls.ts';
import { callTool } from './mcp-clients.ts';
import type { ProxyUrls } from './mcp-proxies.ts';
import type { ServerName } from './tool-servers.ts';

type Acted = {
  /** What the log says about the call. */
  decision: Decision;
  /** True if the client got the answer of the tool. */
  ran: boolean;
  /** True if a kill came between the decision ALLOW and the answer of the tool. */
  stopped: boolean;
};

export type GovernedAgent = {
  readonly id: string;
  /** Calls the tool `<server>.<tool>`. A given `idempotencyKey` repeats an earlier call. */
  act(tool: string, args: Record<string, unknown>, options?: { idempotencyKey?: string }): Promise<Acted>;
  /** Waits until the outcome of the newest call is on the log. */
  settlement(): Promise<Settlement>;
};

export function createAgent(options: {
  id: string;
  key: string;
  proxies: ProxyUrls;
  logged: LoggedCalls;
  onDecision(decision: Decision): void;
}): GovernedAgent {
  const { id, key, proxies, logged, onDecision } = options;
  const clients = new Map<string, Promise<Client>>();
  const clientOf = (server: string): Promise<Client> => {
    const known = clients.get(server) ?? connect(proxies[server as ServerName], { id, key });
    clients.set(server, known);
    return known;
  };
  let made = 0;
  let newest = '';
  return {
    id,
    async act(tool, args, { idempotencyKey = `${id}-${++made}` } = {}) {
      const [server = '', name = ''] = tool.split('.');
      const { refusal } = await callTool(await clientOf(server), name, args, idempotencyKey);
      newest = actionIdOf(idempotencyKey);
      const decision = await logged.decisionOf(id, newest);
      onDecision(decision);
      const ran = refusal === undefined;
      return { decision, ran, stopped: !ran && decision.verdict === 'ALLOW' };
    },
    settlement: () => logged.settlementOf(id, newest),
  };
}

async function connect(url: string, { id, key }: { id: string; key: string }): Promise<Client> {
  const client = new Client({ name: id, version: '1.0.0' });
  const headers = { 'x-mandate-agent': id, 'x-mandate-key': key };
  // The SDK declares the session of its transport in a way that strict optional properties refuse.
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

/** Returns the id of the action that the proxy makes of a call with this key. */
function actionIdOf(idempotencyKey: string): string {
  return `key_${idempotencyKey}`;
}
