/**
 * A server in a process of its own, for tests that also break it: ended, killed, paused, started again on its data.
 *
 * It never outlives the process that started it, however that ends. A shell starts a watcher and then becomes the
 * server; the watcher holds the end of a pipe whose other end only we hold, and when that closes it kills the server
 * and removes its folder.
 * The server has a process group of its own, so Ctrl-C reaches it through the tests' teardown and not before.
 *
 * What it says goes to a file: a pipe that a blocked event loop does not read would hold the server up.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from '../wait-until.ts';

const WATCHED = '(read -r ended <&3 || { kill -9 $$; rm -rf "$0"; }) >/dev/null 2>&1 & exec "$@" 3<&-';
const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 20_000;

export type ServerCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** All it writes, with its log: `server.log`, anew at each start. */
  readonly folder: string;
  /** What the log says when the server takes requests. */
  readonly ready: RegExp;
};

export type ServerProcess = {
  readonly pid: number;
  /** SIGTERM, and SIGKILL to one that does not end. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP: it answers nothing and holds its connections. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
};

/** Resolves once the log says that it is ready; fails with the end of the log when it ends before. */
export async function startServerProcess(server: ServerCommand): Promise<ServerProcess> {
  const log = openSync(logOf(server), 'w');
  const child = spawn('/bin/sh', ['-c', WATCHED, server.folder, server.command, ...server.args], {
    stdio: ['ignore', log, log, 'pipe'],
    env: { ...process.env, ...server.env },
    detached: true,
  });
  closeSync(log);
  const lifeline = child.stdio[3] as Socket;
  // The watcher is gone already when somebody killed the whole group.
  lifeline.on('error', () => {});
  const exited = once(child, 'exit').finally(() => lifeline.end('ended\n'));
  await becomesReady(server, child);
  // What still runs keeps no test runner from ending: it ends with us.
  child.unref();
  lifeline.unref();

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!runs(child)) return;
    child.ref();
    child.kill(signal);
    // A paused process gets no other signal.
    child.kill('SIGCONT');
    await exited;
  }

  return {
    get pid() {
      if (child.pid === undefined || !runs(child)) throw new Error(`${server.command} does not run`);
      return child.pid;
    },
    async stop() {
      const slow = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
      await end('SIGTERM').finally(() => clearTimeout(slow));
    },
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

async function becomesReady(server: ServerCommand, child: ChildProcess): Promise<void> {
  const said = () => readFileSync(logOf(server), 'utf8');
  try {
    await waitUntil(
      `${server.command} to be ready`,
      () => {
        if (!runs(child))
          throw new Error(`${server.command} ended with ${child.exitCode ?? child.signalCode}`);
        return server.ready.test(said());
      },
      READY_WITHIN_MS,
    );
  } catch (cause) {
    child.kill('SIGKILL');
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${message}. Its log ends with:\n${said().slice(-3_000)}`, { cause });
  }
}

function logOf(server: ServerCommand): string {
  return join(server.folder, 'server.log');
}

function runs(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
