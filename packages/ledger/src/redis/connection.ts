/**
 * The way to Redis: one server, a primary with replicas, with or without sentinels that know which it is, or a cluster;
 * the rest of this folder cannot tell which.
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
  /** `redis://…` or `rediss://…` of one server, with its password where it has one; or of sentinels that know it. */
  url?: string;
  /** The user and password for the sentinels. */
  sentinel?: { username?: string; password?: string };
  /** In the place of `url`: some nodes of a cluster. */
  clusterNodes?: readonly { host: string; port: number }[];
  /** For what the address cannot say. */
  client?: Pick<CommonRedisOptions, 'connectTimeout' | 'username' | 'password'> & { tls?: ConnectionOptions };
  /** How long to wait for an answer. Default 2 s. */
  commandTimeoutMs?: number;
};

/** Answers are given only once so many replicas have what was written; else LEDGER_UNAVAILABLE. */
export type WaitReplicas = { count: number; timeoutMs: number };

export type Connection = {
  /** Throws LEDGER_UNAVAILABLE (retryable) for all that may pass. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown[]>;
  /** Every server that takes writes. */
  masters(): Redis[];
  /**
   * Resolves once what was written through this connection is on the replicas that are required: of the servers that hold
   * these keys, so that others' replicas are not waited for; of every server when none are given.
   */
  replicated(keys?: readonly string[]): Promise<void>;
  close(): void;
};

/** @param waitMs how much longer than others an answer may take */
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
    // A connection that was cut fails what was under way, as it does with one server.
    retryDelayOnFailover: 0,
  });
}

function optionsOf(address: RedisAddress, waitMs: number): ClientOptions {
  return {
    connectTimeout: 5_000,
    ...address.client,
    ...SAFE,
    // Waiting for replicas is an answer that may take its time.
    commandTimeout: (address.commandTimeoutMs ?? 2_000) + waitMs,
  };
}

function sentinelAccess(address: RedisAddress, waitMs: number): SentinelAccess {
  return { client: optionsOf(address, waitMs), asking: address.sentinel ?? {} };
}

/** Connects, and throws what is the matter: with the sentinels, where they are to say which server it is. */
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

  /** Where the client does not know, as in the middle of a failover, every one is asked. */
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
      // The client has commands of its own under such names.
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
        // On the very connections that wrote: a server answers at once where nothing is outstanding.
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
