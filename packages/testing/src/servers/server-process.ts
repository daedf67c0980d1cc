/**
 * Starts a server in its own process. Tests may also break it: end, kill or pause it, or start it again with the same
 * data.
 *
 * The server never outlives the process that started it. A shell starts a watcher and then becomes the server. The
 * watcher has one end of a pipe, and only the starting process has the other end. When the other end closes, the
 * watcher kills the server and removes its folder. The server has its own process group. So Ctrl-C does not end it
 * directly, but the teardown of the tests does.
 *
 * The output of the server goes to a file. A full pipe would stop the server while the event loop is blocked.
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
  /** The folder for all files of the server. Its log is `server.log`, which is new at each start. */
  readonly folder: string;
  /** The text in the log that shows that the server accepts requests. */
  readonly ready: RegExp;
};

export type Server = {
  /** The process id. A restart changes it. Throws while the server does not run. */
  readonly pid: number;
  /** The folder of the server's data. */
  readonly folder: string;
  /** Ends the server in order: SIGTERM, and later SIGKILL if the server still runs. Its data stay. */
  end(): Promise<void>;
  /** Sends SIGKILL to the server. Its data stay. */
  kill(): Promise<void>;
  /** Starts the server again with the same data and ports. If it still runs, ends it first. */
  restart(): Promise<void>;
  /** Sends SIGSTOP. Connections stay open, but the server does not answer. */
  pause(): void;
  /** Sends SIGCONT, which ends a pause. */
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

/** Pauses the server, and waits until all of its threads have stopped. Until then, the server can still answer. */
function pause(server: ChildProcess): void {
  server.kill('SIGSTOP');
  const deadlineMs = performance.now() + PAUSE_WITHIN_MS;
  while (threadStates(server.pid).some((state) => /[RSD]/.test(state))) {
    if (performance.now() > deadlineMs) throw new Error(`it goes on ${PAUSE_WITHIN_MS} ms after SIGSTOP`);
  }
}

/**
 * Returns the states of the threads, as Linux names them: T for a stopped thread, R and other letters for a running
 * one. Empty on other systems.
 */
function threadStates(pid: number | undefined): string[] {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return [];
  return readdirSync(threads).map((thread) => {
    try {
      return /^.*\) (.)/s.exec(readFileSync(join(threads, thread, 'stat'), 'utf8'))?.[1] ?? '';
    } catch {
      // The file cannot be read, because the thread has ended.
      return '';
    }
  });
}

async function launch(server: ServerCommand): Promise<ChildProcess> {
  const log = openSync(logOf(server), 'w');
  const child = spawn('/bin/sh', ['-c', WATCHED, server.folder, server.command, ...server.args], {
    stdio: ['ignore', log, log, 'pipe'],
    env: { ...process.env, ...server.env },
    // Files that the server writes outside its data are in this folder too.
    cwd: server.folder,
    detached: true,
  });
  closeSync(log);
  const lifeline = child.stdio[3] as Socket;
  // Writing fails if the watcher is already gone, as after a kill of the whole group.
  lifeline.on('error', () => {});
  child.once('exit', () => lifeline.end('ended\n'));
  await becomesReady(server, child);
  // The test runner may end while the server runs, because the server then ends too.
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
  // A paused process reacts only to SIGKILL. SIGCONT makes the process continue, so that it reacts to the signal
  // above.
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
