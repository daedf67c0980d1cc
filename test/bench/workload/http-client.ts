/** The client process that http-load.ts starts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Load, Loaded } from './http-load.ts';

process.on('message', async (load: Load) => {
  process.send?.(await run(load));
});

async function run(load: Load): Promise<Loaded> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.url)));
  const waiting = load.bodies.map((body, index) => requestOf(load, body, index)).values();
  const timesMs: number[] = [];
  const startMs = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      for (const request of waiting) {
        const sentMs = performance.now();
        const answer = await ask(socket, request);
        timesMs.push(performance.now() - sentMs);
        if (!/^HTTP\/1\.1 20[01] /.test(answer) || !answer.includes(load.expected)) throw new Error(answer);
      }
    }),
  );
  const tookMs = performance.now() - startMs;
  for (const socket of sockets) socket.destroy();
  return { tookMs, timesMs };
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

function requestOf({ path, key }: Load, body: string, index: number): string {
  const lines = [
    `POST ${path.replace('{{n}}', String(index))} HTTP/1.1`,
    'host: bench',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(key === null ? [] : [`authorization: Bearer ${key}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Reads one answer. It has a content-length, or is sent in chunks. */
function ask(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let end = Number.POSITIVE_INFINITY;
    const take = (part: string) => {
      text += part;
      if (end === Number.POSITIVE_INFINITY) end = endOf(text);
      if (text.length >= end) finish(() => resolve(text));
    };
    const fail = () => finish(() => reject(new Error(`the server hung up: ${text}`)));
    const finish = (settle: () => void) => {
      socket.off('data', take).off('close', fail);
      settle();
    };
    socket.on('data', take).on('close', fail);
    socket.write(request);
  });
}

const LAST_CHUNK = '\r\n0\r\n\r\n';

function endOf(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return Number.POSITIVE_INFINITY;
  const length = /content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1];
  if (length === undefined && /transfer-encoding: chunked/i.test(text.slice(0, headEnd)))
    return text.endsWith(LAST_CHUNK) ? text.length : Number.POSITIVE_INFINITY;
  if (length === undefined) throw new Error(`an answer without a content-length: ${text.slice(0, headEnd)}`);
  return headEnd + 4 + Number(length);
}
