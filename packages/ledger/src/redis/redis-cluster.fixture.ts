/** A cluster of three servers, each with a third of the slots. */
import { startRedis, waitUntil } from '@mandate/testing';
import { Redis } from 'ioredis';

type Server = Awaited<ReturnType<typeof startRedis>>;

export type RedisCluster = {
  readonly servers: readonly Server[];
  readonly nodes: readonly { host: string; port: number }[];
  stop(): Promise<void>;
};

const SLOTS = 16_384;

export async function startCluster(): Promise<RedisCluster> {
  const config = { 'cluster-enabled': 'yes', appendfsync: 'everysec' };
  const servers = await Promise.all([1, 2, 3].map(() => startRedis({ appendonly: true, config })));
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    const [first] = clients;
    if (first === undefined) throw new Error('no servers');
    for (const [at, client] of clients.entries()) {
      const from = Math.ceil((SLOTS / servers.length) * at);
      const to = Math.ceil((SLOTS / servers.length) * (at + 1)) - 1;
      await client.cluster('ADDSLOTSRANGE', from, to);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
    }
    for (const server of servers.slice(1)) {
      const bus = await busPortOf(server);
      await first.call('CLUSTER', 'MEET', '127.0.0.1', server.port, bus);
    }
    await waitUntil('the cluster to be one', async () => {
      const told = await Promise.all(clients.map((client) => client.cluster('INFO')));
      return told.every(
        (info) => info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3'),
      );
    });
  } finally {
    for (const client of clients) client.disconnect();
  }
  return {
    servers,
    nodes: servers.map(({ port }) => ({ host: '127.0.0.1', port })),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

async function busPortOf(server: Server): Promise<string> {
  const client = new Redis(server.url);
  const [, port = ''] = (await client.config('GET', 'cluster-port')) as [string, string];
  client.disconnect();
  return port;
}
