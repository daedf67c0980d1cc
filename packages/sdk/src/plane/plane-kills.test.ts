import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Kill } from '../types.ts';
import { PlaneConnection } from './plane-connection.ts';
import { PlaneKills } from './plane-kills.ts';

const flagOf = (agentId: string, revision = 1) => ({
  target: { scope: 'agent', tenant: 'default', agentId },
  revision,
  reason: 'runaway',
});

/** Follows a gateway. The test writes the stream of the gateway. */
async function following() {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    opened.resolve(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = new PlaneConnection({ url, keyOf: () => 'key', timeoutMs: 5_000 });
  const kills = new PlaneKills(connection, () => {});
  onTestFinished(() => {
    kills.close();
    connection.close();
    server.close();
  });
  const heard: Kill[] = [];
  kills.onKill((kill) => heard.push(kill));
  const stream = await opened.promise;
  const send = (...killed: ReturnType<typeof flagOf>[]) =>
    stream.write(`event: flags\ndata: ${JSON.stringify({ killed })}\n\n`);
  return { heard, send, agents: () => heard.map(({ agentId }) => agentId) };
}

test('reports each revision of a kill once, although the gateway repeats its flags', async () => {
  const { send, agents } = await following();
  send(flagOf('bot', 2));
  send(flagOf('bot', 2), flagOf('bot', 1), flagOf('other'));
  await expect.poll(agents, { timeout: 5_000 }).toEqual(['bot', 'other']);
});

test('remembers a bounded number of kills, and forgets the oldest', async () => {
  const { heard, send, agents } = await following();
  const flags = Array.from({ length: 10_001 }, (_, number) => flagOf(`agent-${number}`));
  send(...flags);
  await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(10_001);
  heard.length = 0;
  send(flagOf('agent-10000'), flagOf('agent-1'), flagOf('agent-0'));
  await expect.poll(agents, { timeout: 5_000 }).toEqual(['agent-0']);
});
