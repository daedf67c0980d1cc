/**
 * Sends the records of builds to a plane, in the background and in batches. A chat never waits for this. If a record
 * can neither be sent nor kept in memory, it is dropped and counted.
 */
import type { BuildRecord } from './build-record.ts';

export type ContextRecordsOptions = {
  /** The address of the plane. Example: `http://127.0.0.1:7420`. */
  url: string;
  /** A key with the scope `publish`, for the agent of the builder. */
  apiKey: string;
  /** The maximum number of records that wait in memory. Default: 1,000. */
  maxWaiting?: number;
  /** The longest wait for an answer of the plane, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
  /** Is called with each error. No error stops a chat. Default: `console.warn`. */
  onError?: (error: unknown) => void;
};

/** The numbers of records. `sent`: accepted by the plane. `waiting`: in memory. `dropped`: lost. */
export type RecordCounts = { sent: number; waiting: number; dropped: number };

export type ContextRecords = {
  /** Accepts a record, and returns at once. */
  record(build: BuildRecord): void;
  counts(): RecordCounts;
  /** Resolves when all waiting records are sent or dropped, or after `timeoutMs` (default: 5,000). */
  flush(options?: { timeoutMs?: number }): Promise<void>;
  /** Flushes, and then drops the records that still wait. */
  close(options?: { timeoutMs?: number }): Promise<void>;
};

const MOST_IN_A_BATCH = 50;
const MOST_UNITS_IN_A_BATCH = 400_000;
/** The maximum number of UTF-16 units of all waiting records. */
const MOST_WAITING_UNITS = 16 << 20;
const MOST_SAID_UNITS = 300;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
const FLUSH_MS = 5_000;

export function contextRecords({
  url,
  apiKey,
  maxWaiting = 1_000,
  timeoutMs = 10_000,
  onError = (error) => console.warn('mandate:', error),
}: ContextRecordsOptions): ContextRecords {
  const address = new URL('/v1/context', url);
  const counts = { sent: 0, dropped: 0 };
  const waiting: string[] = [];
  let waitingUnits = 0;
  let sending: Promise<void> | null = null;
  let isClosed = false;
  let isFlushing = false;
  let resume = new AbortController();

  function drop(count: number, why: string): void {
    counts.dropped += count;
    quietly(onError, new Error(`${count} records of the context builder were lost: ${why}`));
  }

  /**
   * Returns null if the plane has accepted the batch, or the reason why it will never accept it. Throws if a later try
   * can help.
   */
  async function send(batch: readonly string[]): Promise<string | null> {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: `[${batch.join()}]`,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.text();
    if (answer.ok) return null;
    const said = `the plane answered ${answer.status} ${text.slice(0, MOST_SAID_UNITS)}`;
    if (isFinal(answer.status)) return said;
    throw new Error(said);
  }

  async function sendAll(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    /** The number of records that are sent one by one after the plane refused them together. */
    let alone = 0;
    // Waits for the end of this turn of the event loop, so that records of one turn are sent together.
    await null;
    while (waiting.length > 0) {
      const batch = alone > 0 ? waiting.slice(0, 1) : firstBatch(waiting);
      try {
        const refused = await send(batch);
        if (isClosed) return;
        pauseMs = FIRST_PAUSE_MS;
        if (refused !== null && batch.length > 1) {
          alone = batch.length;
          continue;
        }
        alone = Math.max(0, alone - 1);
        for (const line of waiting.splice(0, batch.length)) waitingUnits -= line.length;
        if (refused === null) counts.sent += batch.length;
        else drop(batch.length, refused);
      } catch (error) {
        if (isClosed) return;
        quietly(onError, error);
        await pause(isFlushing ? FIRST_PAUSE_MS : pauseMs, resume.signal);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  function start(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  }

  async function flush({ timeoutMs: flushMs = FLUSH_MS } = {}): Promise<void> {
    if (waiting.length === 0) return;
    isFlushing = true;
    resume.abort();
    resume = new AbortController();
    const over = new AbortController();
    await Promise.race([start(), pause(flushMs, over.signal)]);
    over.abort();
    isFlushing = false;
  }

  return {
    record(build) {
      if (isClosed) return drop(1, 'the records are closed');
      if (waiting.length >= maxWaiting) return drop(1, `${maxWaiting} records wait already`);
      const line = JSON.stringify({ event: 'context.built', build });
      if (waitingUnits + line.length > MOST_WAITING_UNITS)
        return drop(1, 'too many large records wait already');
      waiting.push(line);
      waitingUnits += line.length;
      void start();
    },
    counts: () => ({ ...counts, waiting: waiting.length }),
    flush,
    async close(options) {
      if (isClosed) return;
      await flush(options);
      isClosed = true;
      resume.abort();
      if (waiting.length > 0) drop(waiting.splice(0).length, 'the records are closed');
    },
  };
}

function firstBatch(waiting: readonly string[]): readonly string[] {
  let units = 0;
  const most = waiting.slice(0, MOST_IN_A_BATCH);
  const end = most.findIndex((line, at) => {
    units += line.length;
    return at > 0 && units > MOST_UNITS_IN_A_BATCH;
  });
  return end === -1 ? most : most.slice(0, end);
}

/**
 * True if the plane will not accept these records. A refused key counts too, because records that wait for a better key
 * would fill the memory.
 */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Resolves after the time, or at an abort. It does not keep the process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref?.();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function quietly(handler: (error: unknown) => void, error: unknown): void {
  try {
    handler(error);
  } catch (failed) {
    console.warn('mandate: the handler of errors failed:', failed);
  }
}
