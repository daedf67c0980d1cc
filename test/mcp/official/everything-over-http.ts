/**
 * server-everything over streamable HTTP. By itself it listens on every address of the machine. Here it listens on a Unix
 * socket, and connections to 127.0.0.1 are passed on to this socket.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '@mandate/testing';
import { everything } from './official-servers.ts';

export async function serveEverything(): Promise<AsyncDisposable & { url: string }> {
  const [program, ...args] = everything().command;
  const path = join(temporaryFolder(), 'everything.sock');
  const child = spawn(program, [...args, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const failed = ended.then(([code]) => Promise.reject(new Error(`server-everything ended with ${code}`)));
  failed.catch(() => {});
  await Promise.race([once(createInterface(child.stderr), 'line'), failed]);

  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(path);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      child.kill('SIGKILL');
      await ended;
    },
  };
}
