import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../wait-until.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { redisFraming } from './framing.ts';

/** Starts a server that sends each line back, except lines with "mute". It keeps the received text. */
async function echo(): Promise<{ port: number; told: () => string }> {
  let told = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      told += bytes;
      if (!String(bytes).includes('mute')) socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, told: () => told };
}

type Client = { socket: Socket; heard: () => string; isOpen: () => boolean };

async function through(proxy: FaultProxy): Promise<Client> {
  const socket = connect(proxy.port, '127.0.0.1');
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return { socket, heard: () => heard, isOpen: () => !socket.closed };
}

async function scene() {
  const server = await echo();
  const proxy = await startFaultProxy(server.port, 'b', redisFraming);
  onTestFinished(() => proxy[Symbol.dispose]());
  return { server, proxy, client: await through(proxy) };
}

/** Three requests are sent at once, as by a client that does not wait for answers. */
const [A, B, C] = ['+a\r\n', '+b\r\n', '+c\r\n'];

test.each([
  ['forwarded late, and in its order', 'forward', A + B + C],
  ['dropped alone', 'drop', A + C],
] as const)('a held answer is %s', async (_, become, heard) => {
  const { server, proxy, client } = await scene();
  const holding = proxy.hold('answer');
  client.socket.write(A + B + C);
  const held = await holding;
  await waitUntil('the first to be answered', () => client.heard() === A);
  expect(server.told()).toBe(A + B + C);
  held[become]();
  await waitUntil('what it comes to', () => client.heard() === heard);
  expect(client.isOpen()).toBe(true);
});

test('a held request arrives only after it is forwarded', async () => {
  const { server, proxy, client } = await scene();
  const holding = proxy.hold('request');
  client.socket.write(A + B + C);
  const held = await holding;
  await waitUntil('the first to be answered', () => client.heard() === A);
  expect(server.told()).toBe(A);
  held.forward();
  await waitUntil('all to be answered', () => client.heard() === A + B + C);
});

test('a lost answer ends its connection, and if its caller has left, the next answer that matches is lost', async () => {
  const { server, proxy, client } = await scene();
  const lost = proxy.loseAnswer(/b/);
  client.socket.write(B);
  await lost;
  await waitUntil('the end', () => !client.isOpen());
  expect([server.told(), client.heard()]).toEqual([B, '']);

  const again = proxy.loseAnswer(/mute|b/);
  const givesUp = await through(proxy);
  givesUp.socket.write('+mute\r\n');
  await waitUntil('it to be asked', () => server.told().includes('mute'));
  givesUp.socket.destroy();
  const next = await through(proxy);
  next.socket.write(B);
  await again;
  await waitUntil('its end', () => !next.isOpen());
});
