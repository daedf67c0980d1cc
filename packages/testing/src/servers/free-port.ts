import { once } from 'node:events';
import { createServer } from 'node:net';

const ATTEMPTS = 5;

/** Launches on ports of 127.0.0.1 that were free a moment ago, and on others when another process took one meanwhile. */
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

/** All different, as all are held until the last is known. */
async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    holders.map(async (holder) => {
      await once(holder, 'listening');
      const address = holder.address();
      if (address === null || typeof address === 'string') throw new Error('a listening server has no port');
      return address.port;
    }),
  );
  for (const holder of holders) holder.close();
  return ports;
}
