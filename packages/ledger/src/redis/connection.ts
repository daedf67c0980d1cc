/**
 * The way to Redis: one server, a primary with replicas, or a cluster; the rest of this folder cannot tell which.
 */
import type { ConnectionOptions } from 'node:tls';
import type { Logger } from '@mandate/runtime';
import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { ledgerFailure, unavailable } from './failure.ts';
import { loadScript } from './load-script.ts';
import { slotOf } from './slot.ts';

export type RedisAddress = {
  /** `redis://…` or `rediss://…` of one server, with its password where it has one. */
  url?: string;
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

/**
 * With the defaults of the client a lost answer makes it send the script again. These make it fail instead, soon, and
 * leave it to the caller to send again what can be told from the first.
 */
const SAFE = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
} as const satisfies CommonRedisOptions;

const LONGEST_RECONNECT_MS = 2_000;

export function reconnectAfterMs(times: number): number {
  return Math.min(25 * 2 ** times, LONGEST_RECONNECT_MS);
}

/** @param waitMs how much longer than others an answer may take */
export function createClient(address: RedisAddress, waitMs: number): Redis | Cluster {
  const options = {
    connectTimeout: 5_000,
    ...address.client,
    ...SAFE,
    // Waiting for replicas is an answer that may take its time.
    commandTimeout: (address.commandTimeoutMs ?? 2_000) + waitMs,
  };
  if (address.clusterNodes === undefined) {
    const url = address.url ?? 'redis://127.0.0.1:6379';
    return new Redis(url, { ...options, retryStrategy: reconnectAfterMs, lazyConnect: true });
  }
  return new Cluster([...address.clusterNodes], {
    redisOptions: options,
    enableOfflineQueue: false,
    lazyConnect: true,
    clusterRetryStrategy: reconnectAfterMs,
    // A connection that was cut fails what was under way, as it does with one server.
    retryDelayOnFailover: 0,
  });
}

/**
 * Connects, and throws what is the matter: the client itself throws only that the connection is closed.
 *
 * @param onFailure told of that, and of whatever fails later
 */
export async function connected(client: Redis | Cluster, onFailure: (failure: Error) => void): Promise<void> {
  let last: Error | undefined;
  client.on('error', (error: unknown) => {
    last = isCut(error) ? unavailable('Redis cut the connection.', error, CUT) : ledgerFailure(error);
    onFailure(last);
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw last ?? ledgerFailure(error);
  }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/** With TLS 1.3 a certificate is refused when all is said already, and the refusal is seldom heard. */
const CUT =
  'It is restarting; or its port asks for TLS (rediss://, MANDATE_REDIS_TLS), or for a certificate that it knows (MANDATE_REDIS_TLS_CERT_PATH).';

type ScriptCommand = (numberOfKeys: number, ...rest: (string | number)[]) => Promise<unknown>;

export async function connect(
  address: RedisAddress,
  options: { log: Logger; waitReplicas?: WaitReplicas | undefined },
): Promise<Connection> {
  const { log, waitReplicas } = options;
  const client = createClient(address, waitReplicas?.timeoutMs ?? 0);
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

  await connected(client, (err) => log.warn({ err }, 'the connection to Redis failed'));
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
