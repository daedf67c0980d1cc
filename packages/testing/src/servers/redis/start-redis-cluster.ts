/** Starts a Redis Cluster of three masters, each with a third of the slots. On request, each master has a replica. */
import { Redis } from 'ioredis';
import { waitUntil } from '../../wait-until.ts';
import { type RedisOptions, type RedisServer, startRedis } from './start-redis.ts';

const SLOTS = 16_384;
const MASTERS = 3;

export type RedisCluster = AsyncDisposable & {
  /** One URL for each node, in the form that ioredis' Cluster needs. */
  readonly urls: string[];
  /** The first masters of the cluster, for tests that stop or kill one of them. */
  readonly nodes: readonly RedisServer[];
  /** The replica of each master, in the same order; empty if none were requested. */
  readonly replicas: readonly RedisServer[];
  /** Returns the node that stores all keys with this hash tag. */
  nodeOf(tag: string): Promise<RedisServer>;
  stop(): Promise<void>;
};

/**
 * Resolves once every node reports that the cluster is complete. @throws MissingServerError in the same cases as
 * startRedis
 */
export async function startRedisCluster(
  options: RedisOptions & { readonly withReplicas?: boolean } = {},
): Promise<RedisCluster> {
  const config = {
    'cluster-enabled': 'yes',
    'cluster-node-timeout': '2000',
    // The first full copy is sent at once, without waiting for other replicas that might ask for a copy.
    'repl-diskless-sync-delay': '0',
    ...options.config,
  };
  await using started = new AsyncDisposableStack();
  const all = await Promise.all(
    Array.from({ length: options.withReplicas ? 2 * MASTERS : MASTERS }, async () =>
      started.use(await startRedis({ ...options, config })),
    ),
  );
  const [nodes, replicas] = [all.slice(0, MASTERS), all.slice(MASTERS)];
  await joinUp(nodes, replicas);
  await follow(nodes, replicas);
  const life = started.move();
  const stop = () => life.disposeAsync();
  const nodeOf = async (tag: string) => {
    const slot = await slotOf(tag, nodes);
    const node = nodes.find((_, index) => slot <= lastSlot(index));
    if (node === undefined) throw new RangeError(`no node has slot ${slot}`);
    return node;
  };
  return { urls: nodes.map(({ url }) => url), nodes, replicas, nodeOf, stop, [Symbol.asyncDispose]: stop };
}

function lastSlot(index: number): number {
  return Math.floor(((index + 1) * SLOTS) / MASTERS) - 1;
}

async function slotOf(tag: string, [node]: readonly RedisServer[]): Promise<number> {
  if (node === undefined) throw new RangeError('a cluster has nodes');
  const client = new Redis(node.url);
  try {
    return Number(await client.cluster('KEYSLOT', tag));
  } finally {
    client.disconnect();
  }
}

async function joinUp(nodes: readonly RedisServer[], replicas: readonly RedisServer[]): Promise<void> {
  const clients = nodes.map(({ url }) => new Redis(url));
  try {
    for (const [index, client] of clients.entries()) {
      await client.cluster('ADDSLOTSRANGE', lastSlot(index - 1) + 1, lastSlot(index));
      // Each node gets its own epoch here, so no election is needed to make the epochs different.
      await client.cluster('SET-CONFIG-EPOCH', index + 1);
    }
    const all = [...nodes, ...replicas];
    for (const { port, busPort } of all) await clients[0]?.cluster('MEET', '127.0.0.1', port, busPort);
    for (const client of clients) {
      await waitUntil('every node to see the whole cluster', async () => {
        const info = await client.cluster('INFO');
        return /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${all.length}`);
      });
    }
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function follow(nodes: readonly RedisServer[], replicas: readonly RedisServer[]): Promise<void> {
  for (const [index, replica] of replicas.entries()) {
    const [master, own] = [new Redis(nodes[index]?.url ?? ''), new Redis(replica.url)];
    try {
      const id = await master.cluster('MYID');
      await waitUntil('it to know its master', () =>
        own.cluster('REPLICATE', id).then(
          () => true,
          () => false,
        ),
      );
      await waitUntil('the replica to follow', async () =>
        (await own.info('replication')).includes('master_link_status:up'),
      );
    } finally {
      master.disconnect();
      own.disconnect();
    }
  }
}
