import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@mandate/runtime';
import { closed, unavailable } from '../errors.ts';
import { type Cluster, createCluster } from './client.ts';
import { asBusError, innermost, mayPass } from './failure.ts';
import type { KafkaConfig } from './kafka-config.ts';
import { remedyOf } from './remedy.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
/** Longer than one request to one broker takes, answered or not. */
const MENDING_MS = 30_000;

/**
 * Connections to the cluster that repair themselves: a failure that may pass is tried again, with a fresh view of who
 * leads what, or with fresh connections when not even that can be had.
 */
export class Connection {
  readonly #config: KafkaConfig;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #current: { cluster: Promise<Cluster>; sever: () => void } | undefined;
  #mending: Promise<void> | undefined;
  #connects = 0;

  constructor(config: KafkaConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  /**
   * Runs `work`, again and again for up to `withinMs` while what fails may pass; then BUS_UNAVAILABLE. What may not
   * pass is thrown as kafkajs threw it: its meaning is the caller's to know.
   */
  async run<T>(work: (cluster: Cluster) => Promise<T>, withinMs: number): Promise<T> {
    const patience = { isOver: false, lastFailure: undefined as unknown };
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const { lastFailure: cause } = patience;
      const within = `no answer within ${withinMs} ms`;
      if (cause === undefined) return reject(unavailable(within));
      const failure = innermost(cause);
      reject(unavailable(`${within}: ${failure.message}`, { cause, remedy: remedyOf(failure) }));
    }, withinMs);
    const attempts = this.#attempt(work, patience);
    // Its result has no receiver once the caller no longer waits.
    attempts.catch(() => {});
    try {
      return await Promise.race([attempts, late]);
    } finally {
      patience.isOver = true;
      clearTimeout(timer);
    }
  }

  /** Whatever runs ends now, with BUS_CLOSED. */
  close(): void {
    this.#closing.abort();
    this.#current?.sever();
    this.#current = undefined;
  }

  /** After a failure that may pass: looks up again who leads what, over fresh connections if needed. */
  mend(failed: unknown): Promise<void> {
    this.#mending ??= this.#mend(failed).finally(() => {
      this.#mending = undefined;
    });
    return this.#mending;
  }

  /** The view of the cluster, connected. It knows of no broker before it was asked for a topic. */
  cluster(): Promise<Cluster> {
    if (this.#closing.signal.aborted) return Promise.reject(closed());
    this.#current ??= this.#connect();
    return this.#current.cluster;
  }

  async #attempt<T>(
    work: (cluster: Cluster) => Promise<T>,
    patience: { isOver: boolean; lastFailure: unknown },
  ): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await work(await this.cluster());
      } catch (error) {
        if (this.#closing.signal.aborted) throw closed();
        if (!mayPass(error) || patience.isOver) throw error;
        patience.lastFailure = error;
        await this.mend(error);
        await pause(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  async #mend(failed: unknown): Promise<void> {
    this.#log.debug({ err: innermost(failed) }, 'the log is asked anew who leads what');
    const current = this.#current;
    // Each step has a limit of its own; this one holds whatever becomes of them.
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(reject, MENDING_MS, new Error('nobody answered'));
    try {
      await Promise.race([current?.cluster.then((cluster) => cluster.refreshMetadata()), late]);
    } catch {
      current?.sever();
      if (this.#current === current) this.#current = undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #connect(): { cluster: Promise<Cluster>; sever: () => void } {
    // Another broker first each time: the one that was asked last may be the one that is away.
    const { brokers } = this.#config;
    const first = this.#connects++ % brokers.length;
    const rotated = [...brokers.slice(first), ...brokers.slice(0, first)];
    const { cluster, sever } = createCluster({ ...this.#config, brokers: rotated }, this.#log);
    const connected = cluster.connect().then(() => cluster);
    connected.catch(() => {});
    return { cluster: connected, sever };
  }
}

/** `run`, where no failure means anything to the caller: all come as errors of the bus. */
export function asking<T>(
  connection: Connection,
  work: (cluster: Cluster) => Promise<T>,
  withinMs: number,
): Promise<T> {
  return connection.run(work, withinMs).catch((error) => {
    throw asBusError(error);
  });
}
