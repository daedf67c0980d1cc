/** `mandate agents` of a gateway that says what is written here. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const killed = { scope: 'agent', reason: 'it loops' };

test.each<[string, object, string]>([
  ['nothing stops', { killed: null, status: 'registered' }, 'alive'],
  ['was killed', { killed, status: null }, 'killed (agent): it loops'],
  ['was retired', { killed: null, status: 'retired' }, 'retired'],
  ['was both', { killed, status: 'retired' }, 'retired, killed (agent): it loops'],
])('the state of an agent that %s', async (_, stops, state) => {
  const server = createServer((_request, response) => {
    const agents = [{ agentId: 'bot', spentMicros: 10_000, openActions: 1, ...stops }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ agents, next: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const env = { MANDATE_URL: `http://127.0.0.1:${port}`, MANDATE_API_KEY: 'sk-mdt_x' };
  const { stdout } = await runCommand(['agents'], { env });
  expect(stdout).toMatch(/\nbot +\$0\.01 +1 {2}(.+)\n/);
  expect(stdout.trimEnd().endsWith(`1  ${state}`)).toBe(true);
});
