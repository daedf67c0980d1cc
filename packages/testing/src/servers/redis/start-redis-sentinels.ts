/**
 * Starts a Redis with two replicas, and three sentinels. The sentinels promote a replica when the primary is gone.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { waitUntil } from '../../wait-until.ts';
import { onFreePorts } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { type Server, startServer } from '../server-process.ts';
import { installedRedis } from './install-redis.ts';
import { type RedisOptions, type RedisServer, startRedis } from './start-redis.ts';

const NAME = 'main';
const REPLICAS = 2;
const SENTINELS = 3;
const QUORUM = 2;
/**
 * How long a server may be silent before sentinels replace it. This is longer than a busy machine pauses a healthy
 * server.
 */
const DOWN_AFTER_MS = 1_500;
const FAILOVER_MS = 10_000;

type Sentinel = Server & AsyncDisposable & { readonly port: number };

export type RedisSentinels = AsyncDisposable & {
  /** The URL for MANDATE_REDIS_URL. It contains the password of the servers, if they have one. */
  readonly url: string;
  /** The server that was the primary at the start. */
  readonly primary: RedisServer;
  readonly replicas: readonly RedisServer[];
  readonly sentinels: readonly Sentinel[];
  /** Returns the server that is now the primary, according to the first sentinel. */
  primaryNow(): Promise<RedisServer>;
  /** Starts a failover although no server has failed. Resolves once the failover has begun. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
};

export type RedisSentinelsOptions = Omit<RedisOptions, 'tls' | 'movableClock'> & {
  readonly sentinelPassword?: string;
};

/**
 * Resolves once the sentinels know each other and both replicas. @throws MissingServerError in the same cases as
 * startRedis
 */
export async function startRedisSentinels(options: RedisSentinelsOptions = {}): Promise<RedisSentinels> {
  await using started = new AsyncDisposableStack();
  // The first full copy is sent at once, without waiting for other replicas that might ask for a copy.
  const config = { 'repl-diskless-sync-delay': '0', ...options.config };
  const primary = started.use(await startRedis({ ...options, config }));
  const follows = { ...config, replicaof: `127.0.0.1 ${primary.port}` };
  const startReplica = async () => started.use(await startRedis({ ...options, config: follows }));
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, startReplica));
  const watch = async () => started.use(await startSentinel(primary.port, options));
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, watch));

  const servers = [primary, ...replicas];
  const { sentinelPassword: password } = options;
  const ask = async ({ port }: Sentinel, ...args: string[]): Promise<string[]> => {
    const client = new Redis(port, '127.0.0.1', { ...(password !== undefined && { password }) });
    try {
      return (await client.call('SENTINEL', ...args, NAME)) as string[];
    } finally {
      client.disconnect();
    }
  };
  await waitUntil('the sentinels to know all', async () => {
    const known = await Promise.all(sentinels.map((each) => ask(each, 'MASTER')));
    const count = (fields: string[], name: string) => Number(fields[fields.indexOf(name) + 1]);
    return known.every(
      (fields) =>
        count(fields, 'num-slaves') === REPLICAS && count(fields, 'num-other-sentinels') === SENTINELS - 1,
    );
  });
  const [first] = sentinels;
  if (first === undefined) throw new RangeError('there are sentinels');
  const life = started.move();
  const stop = () => life.disposeAsync();
  const who = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`;
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://${who}${hosts}/${NAME}`,
    primary,
    replicas,
    sentinels,
    async primaryNow() {
      const [, port] = await ask(first, 'GET-MASTER-ADDR-BY-NAME');
      const found = servers.find((server) => server.port === Number(port));
      if (found === undefined) throw new Error(`no server of these listens at ${port}`);
      return found;
    },
    // Only one sentinel gets the command. Each sentinel that got it would promote a server of its own choice.
    failOver: async () => void (await ask(first, 'FAILOVER')),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function startSentinel(watched: number, options: RedisSentinelsOptions): Promise<Sentinel> {
  const { command, env } = await installedRedis();
  const folder = await mkdtemp(join(tmpdir(), 'mandate-sentinel-'));
  try {
    return await onFreePorts(1, async ([port = 0]) => {
      const file = join(folder, 'sentinel.conf');
      const settings = {
        port,
        bind: '127.0.0.1',
        dir: folder,
        ...(options.sentinelPassword !== undefined && {
          requirepass: JSON.stringify(options.sentinelPassword),
        }),
      };
      const ofPrimary = {
        monitor: `127.0.0.1 ${watched} ${QUORUM}`,
        'down-after-milliseconds': DOWN_AFTER_MS,
        'failover-timeout': FAILOVER_MS,
        'parallel-syncs': REPLICAS,
        ...(options.password !== undefined && { 'auth-pass': JSON.stringify(options.password) }),
      };
      const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
      const about = Object.entries(ofPrimary).map(([name, value]) => `sentinel ${name} ${NAME} ${value}`);
      await writeFile(file, [...lines, ...about, ''].join('\n'));
      const server = await startServer({
        command,
        args: [file, '--sentinel'],
        env,
        folder,
        ready: /\+monitor master/,
      });
      const stop = () => server.kill().then(() => removeFolder(folder));
      return Object.assign(server, { port, [Symbol.asyncDispose]: stop });
    });
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}
