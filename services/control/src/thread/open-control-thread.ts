/**
 * Runs slow work in its own thread, so that only the caller of the work waits. The thread does one job at a time. The
 * next job belongs to the tenant that has used the least time. The thread has a second copy of all documents, which
 * takes memory. So it starts when the first job comes, and ends after it was idle for a while.
 */
import type { Bus, Snapshots } from '@mandate/bus';
import { FairQueue, type Lane, type Logger, outsideRequests } from '@mandate/runtime';
import { callerOf, HttpProblem, type HttpRequest } from '@mandate/server';
import type { ControlJob, JobResult } from './control-jobs.ts';
import { type StartedThread, startControlThread } from './start-control-thread.ts';

export type ControlThread = {
  /**
   * Resolves to the answer of the job, as JSON.
   *
   * @throws HttpProblem the refusal of the job; 503 OVERLOADED if too many jobs wait; 422 TAKES_TOO_LONG
   */
  answer(request: HttpRequest, job: ControlJob): Promise<string>;
  /** Like `answer`, with the change that the job has prepared. */
  prepare(request: HttpRequest, job: ControlJob): Promise<Extract<JobResult, { ok: true }>>;
  /** Like `answer`, but resolves to null if the job fails. For jobs that are optional. */
  answerIfPossible(request: HttpRequest, job: ControlJob): Promise<string | null>;
  stop(): Promise<void>;
};

export type ThreadBounds = {
  /** The maximum number of jobs of all tenants together that may wait. The next field is the limit for one tenant. */
  waiting: number;
  waitingOfTenant: number;
  /** How long a job may wait until it runs. This time includes the start of the thread. */
  waitMs: number;
  /** How long a job may run. Every job also has a step budget, and usually ends long before this limit. */
  runMs: number;
  /** How long the thread is kept while it is idle. */
  idleMs: number;
};

const BOUNDS: ThreadBounds = {
  waiting: 64,
  waitingOfTenant: 8,
  waitMs: 20_000,
  runMs: 10_000,
  idleMs: 10 * 60_000,
};

type Waiting = {
  job: ControlJob;
  revision: number;
  lane: Lane;
  isGivenUp: boolean;
  resolve(result: JobResult): void;
  reject(error: unknown): void;
};

export function openControlThread(options: {
  bus: Bus;
  log: Logger;
  snapshots?: Snapshots | undefined;
  /**
   * Returns how many records of the log this process has read. A job runs only after the thread has read the same
   * number.
   */
  revision: () => number;
  bounds?: Partial<ThreadBounds>;
  /** Starts what does the jobs. Default: a new thread. A test may do the jobs in the thread of the test. */
  start?: typeof startControlThread;
}): ControlThread {
  const { log, revision, start = startControlThread } = options;
  const bounds = { ...BOUNDS, ...options.bounds };
  const queue = new FairQueue<Waiting>();
  let thread: StartedThread | null = null;
  let isBusy = false;
  let isStopped = false;
  let idle: NodeJS.Timeout | undefined;

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    clearTimeout(idle);
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      if (next.isGivenUp) continue;
      const beganMs = performance.now();
      await perform(next);
      queue.charge(next.lane, performance.now() - beganMs);
    }
    isBusy = false;
    if (!isStopped) idle = setTimeout(() => void endThread(), bounds.idleMs).unref();
  }

  async function perform({ job, revision, resolve, reject }: Waiting): Promise<void> {
    const late = Promise.withResolvers<never>();
    const giveUp = (afterMs: number) =>
      setTimeout(() => {
        late.reject(takesTooLong());
        void endThread();
      }, afterMs);
    let timer = giveUp(bounds.waitMs);
    const onBegin = () => {
      clearTimeout(timer);
      timer = giveUp(bounds.runMs);
    };
    try {
      // If the system refuses to start a thread, this job fails, and the next job tries again.
      if (thread?.isAlive() !== true) thread = start(options);
      resolve(await Promise.race([thread.do(job, revision, onBegin), late.promise]));
    } catch (error) {
      if (!(error instanceof HttpProblem))
        log.error({ err: error, job: job.kind, tenant: job.tenant }, 'a job of the control thread failed');
      reject(error instanceof HttpProblem ? error : failed(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async function endThread(): Promise<void> {
    const ending = thread;
    thread = null;
    await ending?.end();
  }

  async function resultOf(request: HttpRequest, job: ControlJob): Promise<JobResult> {
    const { tenant, id } = callerOf(request);
    const lane = [tenant, id];
    if (isStopped || queue.size >= bounds.waiting || queue.waitingIn([tenant]) >= bounds.waitingOfTenant)
      throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
    const waiting: Waiting = { job, revision: revision(), lane, isGivenUp: false, resolve, reject };
    const leave = (why: HttpProblem) => {
      waiting.isGivenUp = true;
      reject(why);
    };
    const timer = setTimeout(() => leave(overloaded()), bounds.waitMs + bounds.runMs);
    const onGone = () => leave(overloaded());
    request.signal.addEventListener('abort', onGone);
    queue.add(lane, waiting);
    // The queue continues after this request has ended. Its later work must not be counted as work of this request.
    outsideRequests(() => void work());
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onGone);
    }
  }

  async function prepare(request: HttpRequest, job: ControlJob): Promise<Extract<JobResult, { ok: true }>> {
    const result = await resultOf(request, job);
    if (result.ok) return result;
    const { status, code, message, remedy, extension } = result.refusal;
    throw new HttpProblem(status, code, message, { remedy, extension });
  }

  const answer = async (request: HttpRequest, job: ControlJob) => (await prepare(request, job)).text;

  return {
    answer,
    prepare,
    async answerIfPossible(request, job) {
      try {
        return await answer(request, job);
      } catch (error) {
        if (error instanceof HttpProblem) return null;
        throw error;
      }
    },
    async stop() {
      isStopped = true;
      clearTimeout(idle);
      for (let left = queue.take(); left !== undefined; left = queue.take()) left.reject(overloaded());
      await endThread();
    },
  };
}

function overloaded(): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', 'too many jobs are waiting already', {
    remedy: 'Try again in a moment, with fewer documents at a time.',
    headers: { 'retry-after': '1' },
  });
}

function takesTooLong(): HttpProblem {
  return new HttpProblem(422, 'TAKES_TOO_LONG', 'the work of this request takes too long, and was stopped', {
    remedy: 'Use fewer documents at a time, or simpler ones.',
  });
}

function failed(cause: unknown): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', 'the answer could not be computed', {
    remedy: 'Ask again in a moment. The log of this service says why.',
    headers: { 'retry-after': '1' },
    cause,
  });
}
