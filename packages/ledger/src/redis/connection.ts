/**
 * The connection to Redis: one server, a primary with replicas (with or without Sentinel), or a cluster. The other
 * files of this folder work with all of them in the same way.
 */
import type { ConnectionOptions } from 'node:tls';
import { type Logger, readSentinelUrl } from '@mandate/runtime';
import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { connected, reconnectAfterMs, SAFE } from './connected.ts';
import { ledgerFailure, unavailable } from './failure.ts';
import { loadScript } from './load-script.ts';
import { type ClientOptions, createSentinelClient, type SentinelAccess } from './sentinel-client.ts';
import { faultOfSentinels } from './sentinel-fault.ts';
import { slotOf } from './slot.ts';

export type RedisAddress = {
  /**
   * `redis://…` or `rediss://…` for one server, with its password if it has one. `redis+sentinel://…` for sentinels
   * that know the server.
   */
  url?: string;
  /** The user and password for the sentinels. */
  sentinel?: { username?: string; password?: string };
  /** Some nodes of a cluster. Replaces `url`. */
  clusterNodes?: readonly { host: string; port: number }[];
  /** Options that an address cannot contain. */
  client?: Pick<CommonRedisOptions, 'connectTimeout' | 'username' | 'password'> & { tls?: ConnectionOptions };
  /** The time limit for a response in milliseconds. Default 2 s. */
  commandTimeoutMs?: number;
};

/**
 * The number of replicas that must have the writes before a result is returned. Otherwise LEDGER_UNAVAILABLE is
 * thrown.
 */
export type WaitReplicas = { count: number; timeoutMs: number };

export type Connection = {
  /** Runs a script. Throws LEDGER_UNAVAILABLE (retryable) for every failure that may be temporary. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown[]>;
  /** Returns all servers that accept writes. */
  masters(): Redis[];
  /**
   * Resolves when the required replicas have all writes of this connection. With `keys`, checks only the servers of
   * these keys. Otherwise checks every server.
   */
  replicated(keys?: readonly string[]): Promise<void>;
  close(): void;
};

/** @param waitMs the extra time for replicas, added to the time limit of a response */
export function createClient(address: RedisAddress, waitMs: number, log: Logger): Redis | Cluster {
  const options = optionsOf(address, waitMs);
  if (address.clusterNodes === undefined) {
    const url = address.url ?? 'redis://127.0.0.1:6379';
    const watched = readSentinelUrl(url);
    if (watched !== null) return createSentinelClient(watched, sentinelAccess(address, waitMs), log);
    return new Redis(url, {
      ...options,
      retryStrategy: (times) => reconnectAfterMs(times),
      lazyConnect: true,
    });
  }
  return new Cluster([...address.clusterNodes], {
    redisOptions: options,
    enableOfflineQueue: false,
    lazyConnect: true,
    clusterRetryStrategy: (times) => reconnectAfterMs(times),
    // The client of a cluster does not retry. A cut connection fails the running commands, as on one server.
    retryDelayOnFailover: 0,
  });
}

function optionsOf(address: RedisAddress, waitMs: number): ClientOptions {
  return {
    connectTimeout: 5_000,
    ...address.client,
    ...SAFE,
    // The time limit includes the wait for replicas.
    commandTimeout: (address.commandTimeoutMs ?? 2_000) + waitMs,
  };
}

function sentinelAccess(address: RedisAddress, waitMs: number): SentinelAccess {
  return { client: optionsOf(address, waitMs), asking: address.sentinel ?? {} };
}

/** Connects. If that fails, throws the reason. With Sentinel, the sentinels are asked for the reason too. */
export async function reach(
  client: Redis | Cluster,
  address: RedisAddress,
  onFailure: (failure: Error) => void,
): Promise<void> {
  try {
    await connected(client, onFailure);
  } catch (error) {
    const watched = readSentinelUrl(address.url ?? '');
    throw (watched && (await faultOfSentinels(watched, sentinelAccess(address, 0)))) ?? error;
  }
}

type ScriptCommand = (numberOfKeys: number, ...rest: (string | number)[]) => Promise<unknown>;

export async function connect(
  address: RedisAddress,
  options: { log: Logger; waitReplicas?: WaitReplicas | undefined },
): Promise<Connection> {
  const { log, waitReplicas } = options;
  const client = createClient(address, waitReplicas?.timeoutMs ?? 0, log);
  const known = new Set<string>();
  let closed = false;

  const mustBeOpen = () => {
    if (closed) throw unavailable('The ledger is closed.');
  };
  const masters = () => (client instanceof Cluster ? client.nodes('master') : [client]);

  /**
   * Returns the masters of these keys. If the client does not know the masters, for example during a failover,
   * returns all masters.
   */
  const mastersOf = (keys: readonly string[]): Redis[] => {
    if (!(client instanceof Cluster)) return [client];
    const names = new Set(keys.map((key) => client.slots[slotOf(key)]?.[0]));
    const found = masters().filter(({ options: { host, port } }) => names.has(`${host}:${port}`));
    return found.length === names.size ? found : masters();
  };

  await reach(client, address, (err) => log.warn({ err }, 'the connection to Redis failed'));
  return {
    async run(script, keys, args) {
      mustBeOpen();
      // The prefix is needed, because the client has its own commands with such names.
      const name = `mandate-${script}`;
      if (!known.has(script)) {
        client.defineCommand(name, { lua: loadScript(script) });
        known.add(script);
      }
      try {
        const command = Reflect.get(client, name) as ScriptCommand;
        return (await command.call(client, keys.length, ...keys, ...args)) as unknown[];
      } catch (error) {
        throw ledgerFailure(error);
      }
    },
    masters,
    async replicated(keys) {
      if (waitReplicas === undefined) return;
      mustBeOpen();
      const { count, timeoutMs } = waitReplicas;
      try {
        // Asks on the connections that sent the writes. A server answers at once if all writes are replicated.
        const asked = keys === undefined ? masters() : mastersOf(keys);
        const acknowledged = await Promise.all(asked.map((master) => master.wait(count, timeoutMs)));
        const fewest = Math.min(...acknowledged);
        if (fewest < count) throw unavailable(`Only ${fewest} of ${count} replicas have the newest writes.`);
      } catch (error) {
        throw ledgerFailure(error);
      }
    },
    close() {
      closed = true;
      client.disconnect();
    },
  };
}
