import type { DatabaseSync } from 'node:sqlite';
import { isMandateError } from '@mandate/runtime';
import { closed } from '../errors.ts';
import type { Changes } from './changes.ts';
import { asBusError, isBusy, retryDelayMs } from './failure.ts';

/** A transaction takes no more than this, so that it holds the event loop for milliseconds. */
const MOST_RECORDS = 1_000;
const MOST_BYTES = 2 * 1024 * 1024;

/** What a job tells about itself: how much it writes, whether before all others, and who must hear of it once it is committed. */
type Weight = { records: number; bytes: number; urgent?: boolean };
export type Announce = (key: string) => void;

type Job = {
  run: (announce: Announce) => unknown;
  weight: Weight;
  deadline: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

/** What happens at the edges of every transaction. */
export type TransactionEdges = {
  beforeCommit(): void;
  afterCommit(bytes: number): void;
  afterRollback(): void;
};

/**
 * Group commit: whatever was submitted in one turn of the event loop (appends, commits of positions, heartbeats)
 * becomes one transaction, in the order of submission, and what is urgent first. A job that throws a MandateError fails alone, and so must
 * throw before it writes; any other error, SQLite's above all, fails the whole transaction.
 */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #changes: Changes;
  readonly #edges: TransactionEdges;
  readonly #busyWaitMs: number;
  #queue: Job[] = [];
  #scheduled = false;
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(db: DatabaseSync, changes: Changes, edges: TransactionEdges, busyWaitMs: number) {
    this.#db = db;
    this.#changes = changes;
    this.#edges = edges;
    this.#busyWaitMs = busyWaitMs;
  }

  /** Runs `run` inside the next transaction; resolves with its result once that is committed. */
  submit<T>(run: (announce: Announce) => T, weight: Weight = { records: 1, bytes: 0 }): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        run,
        weight,
        deadline: performance.now() + this.#busyWaitMs,
        resolve: (result) => resolve(result as T),
        reject,
      };
      if (weight.urgent === true) this.#queue.unshift(job);
      else this.#queue.push(job);
      this.#schedule();
    });
  }

  /** Takes no more jobs; resolves when those taken are done. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    try {
      this.#db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      this.#begunInVain(error);
      return;
    }
    this.#transact(this.#take());
    if (this.#queue.length > 0) this.#schedule();
    else this.#whenIdle?.();
  };

  /** Another process holds the lock: wait, and give up on what has waited too long. */
  #begunInVain(error: unknown): void {
    const now = performance.now();
    const givenUp = isBusy(error) ? this.#queue.filter((job) => job.deadline <= now) : this.#queue;
    this.#queue = isBusy(error) ? this.#queue.filter((job) => job.deadline > now) : [];
    for (const job of givenUp) job.reject(asBusError(error));
    if (this.#queue.length === 0) {
      this.#whenIdle?.();
      return;
    }
    this.#scheduled = true;
    setTimeout(this.#flush, retryDelayMs());
  }

  #take(): Job[] {
    let records = 0;
    let bytes = 0;
    let taken = 0;
    for (const { weight } of this.#queue) {
      records += weight.records;
      bytes += weight.bytes;
      if (taken > 0 && (records > MOST_RECORDS || bytes > MOST_BYTES)) break;
      taken += 1;
    }
    return this.#queue.splice(0, taken);
  }

  #transact(jobs: readonly Job[]): void {
    const announced = new Set<string>();
    const outcomes: (() => void)[] = [];
    try {
      for (const job of jobs) outcomes.push(this.#attempt(job, announced));
      this.#edges.beforeCommit();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#rollback();
      for (const job of jobs) job.reject(asBusError(error));
      return;
    }
    this.#edges.afterCommit(jobs.reduce((sum, { weight }) => sum + weight.bytes, 0));
    for (const settle of outcomes) settle();
    this.#changes.announce(announced);
  }

  #attempt(job: Job, announced: Set<string>): () => void {
    try {
      const result = job.run((key) => announced.add(key));
      return () => job.resolve(result);
    } catch (error) {
      if (!isMandateError(error)) throw error;
      return () => job.reject(error);
    }
  }

  #rollback(): void {
    this.#edges.afterRollback();
    // SQLite has already rolled back by itself after some errors, a full disk among them.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
