import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports of 127.0.0.1 that were free a moment ago, all different. Another process may take one first: try again then. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  return Promise.all(
    holders.map(async (holder) => {
      await once(holder, 'listening');
      const address = holder.address();
      if (address === null || typeof address === 'string') throw new Error('no port was given');
      return address.port;
    }),
  ).finally(() => {
    for (const holder of holders) holder.close();
  });
}
