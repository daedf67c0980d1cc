/**
 * The connection to Redis: one server, a primary with replicas (with or without Sentinel), or a cluster. The rest of
 * this folder works with all of them alike.
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
   * `redis://…` or `rediss://…` of one server, with its password if it has one. Or `redis+sentinel://…` of sentinels
   * that know the server.
   */
  url?: string;
  /** The user and password for the sentinels. */
  sentinel?: { username?: string; password?: string };
  /** Some nodes of a cluster, instead of `url`. */
  clusterNodes?: readonly { host: string; port: number }[];
  /** Options that an address cannot contain. */
  client?: Pick<CommonRedisOptions, 'connectTimeout' | 'username' | 'password'> & { tls?: ConnectionOptions };
  /** How long to wait for a response. Default 2 s. */
  commandTimeoutMs?: number;
};

/** A result is returned only after this many replicas have the writes. Otherwise LEDGER_UNAVAILABLE. */
export type WaitReplicas = { count: number; timeoutMs: number };

export type Connection = {
  /** Runs a script. Throws LEDGER_UNAVAILABLE (retryable) for every failure that may pass. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown[]>;
  /** Returns every server that takes writes. */
  masters(): Redis[];
  /**
   * Resolves once the required replicas have all writes of this connection. With `keys`, only for the servers of
   * these keys, so that the replicas of other servers do not matter. Otherwise for every server.
   */
  replicated(keys?: readonly string[]): Promise<void>;
  close(): void;
};

/** @param waitMs added to the time limit of a response, for the wait for replicas */
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
    // A cut connection fails the running commands, like on one server.
    retryDelayOnFailover: 0,
  });
}

function optionsOf(address: RedisAddress, waitMs: number): ClientOptions {
  return {
    connectTimeout: 5_000,
    ...address.client,
    ...SAFE,
    // A wait for replicas may take this much longer.
    commandTimeout: (address.commandTimeoutMs ?? 2_000) + waitMs,
  };
}

function sentinelAccess(address: RedisAddress, waitMs: number): SentinelAccess {
  return { client: optionsOf(address, waitMs), asking: address.sentinel ?? {} };
}

/** Connects, and throws the reason if that fails. With Sentinel, it also asks the sentinels for the reason. */
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
   * Returns the masters of these keys. If the client does not know them, for example during a failover, returns all
   * masters.
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
      // The prefix, because the client has its own commands with such names.
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
        // Asks on the same connections that wrote. A server answers at once if all writes are replicated.
        const asked = keys === undefined ? masters() : mastersOf(keys);
        const acknowledged = await Promise.all(asked.map((master) => master.wait(count, timeoutMs)));
        const fewest = Math.min(...acknowledged);
        if (fewest < count) throw unavailable(`Only ${fewest} of ${count} replicas have what was written.`);
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
