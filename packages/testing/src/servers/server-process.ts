/**
 * A server in a process of its own, for tests that also break it: end it, kill it, pause it, start it again on its
 * data.
 *
 * The server never outlives the process that started it, however that process ends. A shell starts a watcher and then
 * becomes the server. The watcher holds one end of a pipe, and only we hold the other. When our end closes, the
 * watcher kills the server and removes its folder. The server has a process group of its own, so Ctrl-C reaches it
 * only through the tests' teardown.
 *
 * Its output goes to a file, because a pipe that a blocked event loop does not read would stop the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from '../wait-until.ts';

const WATCHED = '(read -r ended <&3 || { kill -9 $$; rm -rf "$0"; }) >/dev/null 2>&1 & exec "$@" 3<&-';
const READY_WITHIN_MS = 60_000;
const ENDED_WITHIN_MS = 20_000;
const PAUSE_WITHIN_MS = 10_000;

export type ServerCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Everything that the server writes, with its log: `server.log`, new at each start. */
  readonly folder: string;
  /** The text in the log once the server takes requests. */
  readonly ready: RegExp;
};

export type Server = {
  /** The process id, which changes with `restart`. Throws while the server does not run. */
  readonly pid: number;
  /** The folder of its data. */
  readonly folder: string;
  /** Ends the server in order (SIGTERM, then SIGKILL if it does not end). Its data stay. */
  end(): Promise<void>;
  /** Sends SIGKILL. Its data stay. */
  kill(): Promise<void>;
  /** Ends the server if it runs, and starts it on the same data and ports. */
  restart(): Promise<void>;
  /** Sends SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
};

/**
 * Resolves once the log reports that the server is ready. Fails with the end of the log if the server ends before.
 */
export async function startServer(server: ServerCommand): Promise<Server> {
  let running = await launch(server);
  return {
    get pid() {
      if (running.pid === undefined || !runs(running)) throw new Error(`${server.command} does not run`);
      return running.pid;
    },
    folder: server.folder,
    end: () => end(running, 'SIGTERM'),
    kill: () => end(running, 'SIGKILL'),
    async restart() {
      await end(running, 'SIGTERM');
      running = await launch(server);
    },
    pause: () => pause(running),
    resume: () => void running.kill('SIGCONT'),
  };
}

/** A signal takes time: a server answers until the last of its threads has stopped. */
function pause(server: ChildProcess): void {
  server.kill('SIGSTOP');
  const deadlineMs = performance.now() + PAUSE_WITHIN_MS;
  while (threadStates(server.pid).some((state) => /[RSD]/.test(state))) {
    if (performance.now() > deadlineMs) throw new Error(`it goes on ${PAUSE_WITHIN_MS} ms after SIGSTOP`);
  }
}

/**
 * The states of the threads, as Linux gives them: R and others while a thread runs, T once it has stopped. Empty on
 * other systems.
 */
function threadStates(pid: number | undefined): string[] {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return [];
  return readdirSync(threads).map((thread) => {
    try {
      return /^.*\) (.)/s.exec(readFileSync(join(threads, thread, 'stat'), 'utf8'))?.[1] ?? '';
    } catch {
      // The thread has ended.
      return '';
    }
  });
}

async function launch(server: ServerCommand): Promise<ChildProcess> {
  const log = openSync(logOf(server), 'w');
  const child = spawn('/bin/sh', ['-c', WATCHED, server.folder, server.command, ...server.args], {
    stdio: ['ignore', log, log, 'pipe'],
    env: { ...process.env, ...server.env },
    // Files that the server writes outside its data go to its folder too.
    cwd: server.folder,
    detached: true,
  });
  closeSync(log);
  const lifeline = child.stdio[3] as Socket;
  // The watcher is already gone if the whole group was killed.
  lifeline.on('error', () => {});
  child.once('exit', () => lifeline.end('ended\n'));
  await becomesReady(server, child);
  // A running server does not keep the test runner from ending, because the server ends with us.
  child.unref();
  lifeline.unref();
  return child;
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
    await end(child, 'SIGKILL');
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${message}. Its log ends with:\n${said().slice(-3_000)}`, { cause });
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!runs(child)) return;
  const exited = once(child, 'exit');
  child.ref();
  child.kill(signal);
  // A paused process reacts to no signal but SIGKILL, so it must run again first.
  child.kill('SIGCONT');
  const slow = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN_MS);
  await exited.finally(() => clearTimeout(slow));
}

function runs(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function logOf(server: ServerCommand): string {
  return join(server.folder, 'server.log');
}
