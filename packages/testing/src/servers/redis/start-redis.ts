/** One Redis, on a folder and a port of its own. Nothing but its port is shared with another one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../free-port.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';
import { installedRedis } from './install-redis.ts';

export type RedisOptions = {
  /** Writes every change to its disk before it answers, so that `kill` and `restart` lose nothing. Default false. */
  readonly appendonly?: boolean;
  readonly password?: string;
  /** Anything else of redis.conf; wins over what is set here. */
  readonly config?: Readonly<Record<string, string>>;
};

export type RedisServer = AsyncDisposable & {
  /** With the password, if any. */
  readonly url: string;
  readonly port: number;
  /** Changes with `restart`. Throws while it does not run. */
  readonly pid: number;
  /** Its data, kept until `stop`. */
  readonly folder: string;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
  /** SIGKILL; `restart` brings it back. */
  kill(): Promise<void>;
  /** Ends it if it runs, and starts it on the same folder and port. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
};

/** @throws MissingServerError where no redis-server can be had */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-redis-'));
  const { port, started } = await launchOnFreePort(folder, options).catch(async (error) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  let running = started;

  async function stop(): Promise<void> {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  }

  return {
    url: `redis://${options.password === undefined ? '' : `:${options.password}@`}127.0.0.1:${port}`,
    port,
    get pid() {
      return running.pid;
    },
    folder,
    stop,
    kill: () => running.kill(),
    async restart() {
      await running.stop();
      running = await launch(folder, port, options);
    },
    pause: () => running.pause(),
    resume: () => running.resume(),
    [Symbol.asyncDispose]: stop,
  };
}

async function launchOnFreePort(
  folder: string,
  options: RedisOptions,
): Promise<{ port: number; started: ServerProcess }> {
  for (let attempt = 1; ; attempt++) {
    const [port = 0] = await freePorts(1);
    try {
      return { port, started: await launch(folder, port, options) };
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('Address already in use');
      if (!taken || attempt === 5) throw error;
    }
  }
}

async function launch(folder: string, port: number, options: RedisOptions): Promise<ServerProcess> {
  const { command, env } = await installedRedis();
  const config: Record<string, string> = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: options.appendonly === true ? 'yes' : 'no',
    appendfsync: 'always',
    ...(options.password === undefined
      ? {}
      : { requirepass: options.password, masterauth: options.password }),
    ...options.config,
  };
  return startServerProcess({
    command,
    args: Object.entries(config).flatMap(([name, value]) => [`--${name}`, value]),
    env,
    folder,
    ready: /Ready to accept connections/,
  });
}
