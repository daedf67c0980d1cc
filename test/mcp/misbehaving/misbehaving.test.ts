/** The misbehaving server does what it says, so that a test through the proxy tests what it says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { initialize } from '../wire/handshake.ts';
import { isAlive } from '../wire/is-alive.ts';
import { startStdio } from '../wire/stdio-process.ts';
import { behindShell, misbehaving } from './misbehaving.ts';
import { ENDLESS_BYTES, FLOOD_FRAMES, WIDE_TEXT } from './tools.ts';

const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('it ends in the middle of a call', async () => {
  await using server = startStdio(misbehaving());
  await initialize(server);
  server.send({ jsonrpc: '2.0', ...call(1, 'crash') });
  expect(await server.ended).toBe(3);
});

test('it leaves half a message behind', async () => {
  await using server = startStdio(misbehaving());
  await initialize(server);
  server.send({ jsonrpc: '2.0', ...call(1, 'half-frame') });
  expect(await server.ended).toBe(0);
  expect(server.bytes().toString()).toMatch(/"type":"te$/);
});

test('it floods the client', async () => {
  await using server = startStdio(misbehaving());
  await initialize(server);
  await server.request(call(1, 'flood'));
  expect(server.lines().length).toBeGreaterThan(FLOOD_FRAMES);
});

test('it splits characters, and sends no line end for 64 MiB', async () => {
  await using server = startStdio(misbehaving());
  await initialize(server);
  expect((await server.request(call(1, 'split-bytes'))).result.content[0].text).toBe(WIDE_TEXT);
  server.send({ jsonrpc: '2.0', ...call(2, 'endless-line') });
  await waitUntil('64 MiB', () => server.size() > ENDLESS_BYTES);
});

test('it asks the client with ids that the client uses', async () => {
  await using server = startStdio(misbehaving());
  await initialize(server);
  server.send({ jsonrpc: '2.0', ...call(1, 'ask-client') });
  for (const method of ['roots/list', 'elicitation/create', 'sampling/createMessage', 'ping']) {
    const { id } = await server.receive(method, (frame) => frame.method === method);
    server.send({ jsonrpc: '2.0', id, result: { method } });
  }
  const { result } = await server.receive('the answer', ({ id, method }) => id === 1 && method === undefined);
  expect(result.content[0].text).toContain('"ping"');
});

test('it continues to run after its input has ended and after SIGTERM', async () => {
  const pidFile = join(temporaryFolder(), 'pid');
  await using server = startStdio(behindShell('--ignore-signals', '--pid-file', pidFile));
  await initialize(server);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  server.child.stdin.end();
  server.child.kill('SIGTERM');
  await waitUntil('the end of the shell', () => server.child.signalCode === 'SIGTERM');
  expect(isAlive(pid)).toBe(true);
  process.kill(pid, 'SIGKILL');
});
