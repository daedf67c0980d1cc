/** One Redis, on a folder and a port of its own. */
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
  /** Writes every change to its disk before it answers, so that `kill` and `restart` lose nothing. Default false. */
  readonly appendonly?: boolean;
  readonly password?: string;
  /** Over TLS only, and for those only who show a certificate of the same authority. */
  readonly tls?: Authority;
  /** Gives it a clock of its own, which `moveClock` sets; for `describeWithMovableClock` alone. Default false. */
  readonly movableClock?: boolean;
  /** Anything else of redis.conf; wins over what is set here. */
  readonly config?: Readonly<Record<string, string>>;
};

export type RedisServer = Server &
  AsyncDisposable & {
    /** With the password, if any. */
    readonly url: string;
    readonly port: number;
    /** Where the nodes of a cluster talk to each other. */
    readonly busPort: number;
    /** Resolves once its time of day is so far ahead of this machine's; behind it where that is negative. */
    moveClock(aheadMs: number): Promise<void>;
    /** Ends it and removes its data. */
    stop(): Promise<void>;
  };

/** @throws MissingServerError where no redis-server can be had */
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
          // Only for a cluster; its own default, port + 10000, may not exist.
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
      // Killed: in order it might not end for long, as it refuses to while its first append-only file is being written.
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

/** How far the server's time of day is ahead of this machine's, in milliseconds. */
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
