/** A running control thread. It receives the records of the log, and does one job at a time. */
import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Bus, Snapshots } from '@mandate/bus';
import type { ControlPosition } from '@mandate/control';
import { feedReplica } from '@mandate/control-log';
import type { Logger } from '@mandate/runtime';
import type { ControlJob, JobResult } from './control-jobs.ts';
import type { Answer, Call, Result } from './messages.ts';

export type StartedThread = {
  /**
   * Does the job. Rejects if the thread ends, or if the records of the log cannot be sent to the thread.
   *
   * @param revision how many records of the log the thread must have read
   * @param onBegin called when the job begins
   */
  do(job: ControlJob, revision: number, onBegin: () => void): Promise<JobResult>;
  /** True if the thread can accept jobs. */
  isAlive(): boolean;
  /** Ends the thread at once, even during a job. */
  end(): Promise<void>;
};

/** The memory limit of the thread. A thread that needs more ends together with its job, but the process goes on. */
const MOST_HEAP_MIB = 2_048;

type Waiting = { resolve(result: Result): void; reject(error: unknown): void; onBegin?: () => void };

/**
 * The parts of a call that a caller states. `Omit` is applied to each kind of call separately, so that each kind
 * keeps its own fields.
 */
type Asked = Call extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

export function startControlThread(options: {
  bus: Bus;
  log: Logger;
  snapshots?: Snapshots | undefined;
}): StartedThread {
  const { log } = options;
  const worker = new Worker(new URL('./control-thread.ts', import.meta.url), {
    workerData: getCompileCacheDir(),
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MIB },
  });
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let failure: Error | null = null;

  function fail(error: Error): void {
    if (failure !== null) return;
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    void worker.terminate();
  }

  function ask(asked: Asked, onBegin?: () => void): Promise<Result> {
    if (failure !== null) return Promise.reject(failure);
    calls += 1;
    const id = calls;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, ...(onBegin && { onBegin }) });
      worker.postMessage({ id, ...asked });
    });
  }

  worker.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    if (answer.kind === 'begun') {
      asked?.onBegin?.();
      return;
    }
    waiting.delete(answer.id);
    if (answer.kind === 'done') asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.message));
  });
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the control thread ended')));
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  const feeding = feedReplica(options, {
    addLines: async (lines) => void (await ask({ call: 'addLines', lines })),
    restore: async () => (await ask({ call: 'restore' })) as ControlPosition | null,
    apply: async (changes) => void (await ask({ call: 'apply', changes })),
  });
  feeding
    .then(({ finished }) => finished)
    .catch((err: Error) => {
      if (failure === null) log.warn({ err }, 'the control thread cannot get the records of the log');
      fail(err);
    });

  return {
    do: async (job, revision, onBegin) => (await ask({ call: 'do', job, revision }, onBegin)) as JobResult,
    isAlive: () => failure === null,
    async end() {
      fail(new Error('the control thread was ended'));
      await feeding.then((fed) => fed.stop()).catch(() => {});
      await exited;
    },
  };
}
