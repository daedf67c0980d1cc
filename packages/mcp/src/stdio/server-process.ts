/**
 * The process of an MCP server. It has a process group of its own, because `npx` starts the server behind a shell: a
 * signal to the first process alone would leave the server running. When the proxy itself is killed, a watchdog ends the
 * group.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEnd, ServerLink } from './server-link.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

/** How long the server has to end after its input was closed, and again after SIGTERM. */
const GRACE_MS = 1_000;

export class ServerProcess implements ServerLink {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #watchdog: Watchdog | null;
  /** Resolves when the server has ended, or could not be started. */
  readonly ended: Promise<ServerEnd>;
  #stopping: Promise<void> | null = null;

  /** @param env the environment of the server. Secrets of the proxy must not be in it */
  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env });
    this.#watchdog = this.#child.pid === undefined ? null : startWatchdog(this.#child.pid);
    this.ended = endOf(this.#child);
    // A write to a server that has ended fails. `ended` already says so.
    this.#child.stdin.on('error', () => {});
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  get output(): Readable {
    return this.#child.stdout;
  }

  /** Closes the input of the server, and ends its process group if the server does not end by itself. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#child.stdin.end();
    if (!(await this.#endsWithin(GRACE_MS))) {
      this.#signal('SIGTERM');
      if (!(await this.#endsWithin(GRACE_MS))) this.#signal('SIGKILL');
    }
    // The server may have left child processes.
    if (this.#signal('SIGTERM')) {
      await sleep(GRACE_MS / 4);
      this.#signal('SIGKILL');
    }
    this.#watchdog?.release();
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const ended = await Promise.race([
      this.ended.then(() => true),
      sleep(ms, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    return ended;
  }

  /** Returns whether the group still had a process. */
  #signal(signal: NodeJS.Signals): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
}

async function endOf(child: ChildProcessByStdio<Writable, Readable, null>): Promise<ServerEnd> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code, signal, error: null };
  } catch (error) {
    return { code: null, signal: null, error: error as Error };
  }
}
