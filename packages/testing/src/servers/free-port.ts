import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const ATTEMPTS = 5;
/**
 * These ports are below the ports that systems assign themselves. So no other program takes a server's port while the
 * server restarts.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/**
 * Calls `launch` with ports of 127.0.0.1 that were free a moment ago. If another process takes a port first, tries
 * other ports.
 */
export async function onFreePorts<T>(count: number, launch: (ports: number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(await freePorts(count));
    } catch (error) {
      const taken = error instanceof Error && /address already in use/i.test(error.message);
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Returns different free ports. Each port stays taken until the last port is known, so that none is found twice. */
async function freePorts(count: number): Promise<number[]> {
  const holders: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(LOWEST, HIGHEST);
    const holder = createServer().listen(port, '127.0.0.1');
    const isFree = await once(holder, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    holders.push(holder);
    ports.push(port);
  }
  for (const holder of holders) holder.close();
  return ports;
}
