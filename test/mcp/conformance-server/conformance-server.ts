/**
 * The server that the official conformance suite of MCP asks for: its tools, resources and prompts, in both eras of the
 * protocol. The suite comes without a server. If the suite passes against this server, and passes with the same
 * checks through the proxy, the proxy changes nothing that the suite can see.
 */
import { randomBytes } from 'node:crypto';
import { createRequestStateCodec, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { addAskingTools } from './asking-tools.ts';
import { addCapabilityTools } from './capability-tools.ts';
import { type Announce, addChangingLists, type Lists } from './changing-lists.ts';
import { addContentTools } from './content-tools.ts';
import { addInputRequiredTools, type State } from './input-required-tools.ts';
import { addMessagesTools } from './messages-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';

/** Returns a function that makes a server for each request (newer era) or each session (older era). */
export function conformanceServers(announce: Announce): McpServerFactory {
  const lists: Lists = { hasMoreTools: false, hasMorePrompts: false };
  const states = createRequestStateCodec<State>({ key: randomBytes(32) });
  return ({ era }) => {
    const server = new McpServer(
      { name: 'mandate-conformance-server', version: '1.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          logging: {},
          completions: {},
        },
        instructions: 'A server for tests.',
        requestState: { verify: states.verify },
      },
    );
    addContentTools(server);
    addMessagesTools(server);
    addAskingTools(server);
    addInputRequiredTools(server, states);
    addCapabilityTools(server);
    addChangingLists(server, lists, announce);
    addResources(server);
    addPrompts(server);
    if (era === 'legacy') addSubscriptions(server);
    return server;
  };
}

/** Tells a client once that a resource was updated, right after the client has subscribed. */
function addSubscriptions({ server }: McpServer): void {
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    queueMicrotask(() => void server.sendResourceUpdated({ uri: params.uri }));
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}
