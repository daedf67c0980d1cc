import type { DatabaseSync } from 'node:sqlite';
import { isMandateError } from '@mandate/runtime';
import { closed } from '../errors.ts';
import type { Changes } from './changes.ts';
import { asBusError, isBusy, retryDelayMs } from './failure.ts';

/**
 * The maximum number of records in a transaction. The limit lets a transaction block the event loop for milliseconds
 * only.
 */
const MAX_RECORDS = 1_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** The size of a write job. An urgent job runs before all others. */
type Weight = { records: number; bytes: number; urgent?: boolean };
export type Announce = (key: string) => void;

type Job = {
  run: (announce: Announce) => unknown;
  weight: Weight;
  deadline: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

/** Callbacks before the commit, after the commit and after the rollback of every transaction. */
export type TransactionEdges = {
  beforeCommit(): void;
  afterCommit(bytes: number): void;
  afterRollback(): void;
};

/**
 * Group commit: all jobs (appends, commits of positions, heartbeats) of one turn of the event loop become one
 * transaction. Jobs run in the order of submission, urgent jobs first. A job that throws a MandateError fails alone,
 * so it must throw before it writes. Any other error, such as SQLite's, fails the whole transaction.
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

  /** Runs `run` inside the next transaction. Resolves with its result after the commit. */
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

  /** Accepts no more jobs. Resolves when all accepted jobs have ended. */
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
      this.#beginFailed(error);
      return;
    }
    this.#transact(this.#take());
    if (this.#queue.length > 0) this.#schedule();
    else this.#whenIdle?.();
  };

  /**
   * Handles a failed BEGIN. If another process holds the lock, the jobs wait, and jobs that waited too long fail.
   * After any other error all jobs fail.
   */
  #beginFailed(error: unknown): void {
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
      if (taken > 0 && (records > MAX_RECORDS || bytes > MAX_BYTES)) break;
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
    // This check is needed, because after some errors, for example a full disk, SQLite has already rolled back.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
