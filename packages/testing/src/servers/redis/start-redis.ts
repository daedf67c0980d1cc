/** Starts one Redis, with its own folder and port. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { waitUntil } from '../../wait-until.ts';
import type { Authority } from '../certificates.ts';
import { onFreePorts } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { type Server, startServer } from '../server-process.ts';
import { installedRedis } from './install-redis.ts';
import { movableClock } from './movable-clock.ts';

export type RedisOptions = {
  /** If true, every change is on disk before its answer, so `kill` and `restart` lose nothing. Default false. */
  readonly appendonly?: boolean;
  readonly password?: string;
  /** If set, the server accepts only clients with TLS and a certificate of the same authority. */
  readonly tls?: Authority;
  /**
   * If true, the server has its own clock, which `moveClock` sets. Only for `describeWithMovableClock`. Default
   * false.
   */
  readonly movableClock?: boolean;
  /** More settings of redis.conf. They override the settings made here. */
  readonly config?: Readonly<Record<string, string>>;
};

export type RedisServer = Server &
  AsyncDisposable & {
    /** The URL of the server, with the password if it has one. */
    readonly url: string;
    readonly port: number;
    /** The port at which the nodes of a cluster talk to each other. */
    readonly busPort: number;
    /**
     * Resolves once the server's time of day is this far ahead of the time of this machine. A negative number is
     * behind.
     */
    moveClock(aheadMs: number): Promise<void>;
    /** Ends the server and removes its data. */
    stop(): Promise<void>;
  };

/** @throws MissingServerError if no redis-server is available */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const { command, env } = await installedRedis();
  const folder = await mkdtemp(join(tmpdir(), 'mandate-redis-'));
  try {
    const clock = options.movableClock === true ? await movableClock(folder) : undefined;
    return await onFreePorts(2, async ([port = 0, busPort = 0]) => {
      const server = await startServer({
        command,
        args: asArguments({
          ...(options.tls === undefined ? { port: String(port) } : overTls(port, options.tls)),
          // The port matters only in a cluster. The default, port + 10000, may be too high.
          'cluster-port': String(busPort),
          bind: '127.0.0.1',
          dir: folder,
          save: '',
          appendonly: options.appendonly === true ? 'yes' : 'no',
          appendfsync: 'always',
          ...(options.password === undefined ? {} : secured(options.password)),
          ...options.config,
        }),
        env: { ...env, ...clock?.env },
        folder,
        ready: /Ready to accept connections/,
      });
      // The server is killed, because an orderly end may take long: Redis does not end while it writes its first
      // append-only file.
      const stop = () => server.kill().then(() => removeFolder(folder));
      const credential = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`;
      const url = `redis${options.tls === undefined ? '' : 's'}://${credential}127.0.0.1:${port}`;
      const moveClock = async (aheadMs: number) => {
        if (clock === undefined) throw new Error('this Redis was started with the clock of the machine');
        await clock.move(aheadMs);
        await waitUntil(
          'its clock to be moved',
          async () => Math.abs((await aheadOf(url)) - aheadMs) < 1_500,
        );
      };
      return Object.assign(server, { url, port, busPort, moveClock, stop, [Symbol.asyncDispose]: stop });
    });
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

/** Returns how many milliseconds the server's time of day is ahead of the time of this machine. */
async function aheadOf(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    const [seconds, micros] = await client.time();
    return Number(seconds) * 1_000 + Number(micros) / 1_000 - Date.now();
  } finally {
    client.disconnect();
  }
}

function overTls(port: number, { caPath, server }: Authority): Record<string, string> {
  return {
    port: '0',
    'tls-port': String(port),
    'tls-ca-cert-file': caPath,
    'tls-cert-file': server.certPath,
    'tls-key-file': server.keyPath,
  };
}

function secured(password: string): Record<string, string> {
  return { requirepass: password, masterauth: password };
}

function asArguments(config: Readonly<Record<string, string>>): string[] {
  return Object.entries(config).flatMap(([name, value]) => [`--${name}`, value]);
}
