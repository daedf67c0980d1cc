/**
 * Sends HTTP requests from a separate process, so that the CPU time of the measured process is the server's alone.
 * Each connection has one request at a time. The client writes to sockets directly, because a slow client would make
 * the server look better.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export type Load = {
  url: string;
  path: string;
  key: string | null;
  connections: number;
  /**
   * The body of each request. A free connection sends the next body. In the path, `{{n}}` is replaced by the number
   * of the body.
   */
  bodies: readonly string[];
  /** A text that every answer must contain. */
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
