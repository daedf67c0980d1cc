/**
 * Load over HTTP from a process of its own, so that the CPU time of the measured process is the server's alone. One
 * request at a time on each connection; the client is written to sockets directly, for a slow one would flatter.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export type Load = {
  url: string;
  path: string;
  key: string | null;
  connections: number;
  /** Bodies of all requests; the next free connection takes the next one. `{{n}}` in the path is its number. */
  bodies: readonly string[];
  /** What an answer must contain. */
  expected: string;
};

export type Loaded = { tookMs: number; timesMs: readonly number[] };

export type HttpLoad = { send(load: Load): Promise<Loaded>; stop(): void };

export function startHttpLoad(): HttpLoad {
  const child = fork(new URL('./http-client.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  return {
    async send(load) {
      child.send(load);
      const answered = new AbortController();
      const { signal } = answered;
      try {
        const [answer] = await Promise.race([
          once(child, 'message', { signal }),
          once(child, 'exit', { signal }).then(failed),
        ]);
        return answer as Loaded;
      } finally {
        answered.abort();
      }
    },
    stop: () => child.kill(),
  };
}

function failed(): never {
  throw new Error('the HTTP client ended');
}
