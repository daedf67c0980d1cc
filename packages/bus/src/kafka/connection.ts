import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@mandate/runtime';
import { closed, unavailable } from '../errors.ts';
import { type Cluster, createCluster } from './client.ts';
import { asBusError, innermost, mayPass } from './failure.ts';
import type { KafkaConfig } from './kafka-config.ts';
import { remedyOf } from './remedy.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
/**
 * The time limit for one look-up of the leaders, in milliseconds. It is longer than a request to a broker takes, even
 * if the request gets no response.
 */
const RECOVERY_MS = 30_000;

/**
 * Connections to the cluster that repair themselves. A temporary failure is retried after a new look-up of the
 * leaders. If the look-up fails, the connections are replaced.
 */
export class Connection {
  readonly #config: KafkaConfig;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #current: { cluster: Promise<Cluster>; sever: () => void } | undefined;
  #recovering: Promise<void> | undefined;
  #connects = 0;

  constructor(config: KafkaConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  /**
   * Runs `work`, and retries for up to `withinMs` if the failure may be temporary. Then throws BUS_UNAVAILABLE.
   * Throws other errors of kafkajs unchanged, because only the caller knows their meaning.
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
    // The caller may have stopped waiting. Without this handler, a late failure would be an unhandled rejection.
    attempts.catch(() => {});
    try {
      return await Promise.race([attempts, late]);
    } finally {
      patience.isOver = true;
      clearTimeout(timer);
    }
  }

  /** Ends all running work with BUS_CLOSED. */
  close(): void {
    this.#closing.abort();
    this.#current?.sever();
    this.#current = undefined;
  }

  /** Called after a temporary failure. Looks up the leaders again, over new connections if needed. */
  recover(failed: unknown): Promise<void> {
    this.#recovering ??= this.#recover(failed).finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  /** Returns the connected view of the cluster. The view knows no broker until a caller asks for a topic. */
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
        await this.recover(error);
        await pause(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  async #recover(failed: unknown): Promise<void> {
    this.#log.debug({ err: innermost(failed) }, 'the leaders are looked up again');
    const current = this.#current;
    // Each step below has its own time limit. `late` ends the wait even if a step exceeds its own limit.
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(reject, RECOVERY_MS, new Error('no broker answered'));
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
    // Starts with another broker each time, because the previous broker may be down.
    const { brokers } = this.#config;
    const first = this.#connects++ % brokers.length;
    const rotated = [...brokers.slice(first), ...brokers.slice(0, first)];
    const { cluster, sever } = createCluster({ ...this.#config, brokers: rotated }, this.#log);
    const connected = cluster.connect().then(() => cluster);
    connected.catch(() => {});
    return { cluster: connected, sever };
  }
}

/**
 * Runs `work` as `Connection.run` does, but converts every failure to an error of the bus. For callers that handle no
 * kafkajs failure themselves.
 */
export function withBusErrors<T>(
  connection: Connection,
  work: (cluster: Cluster) => Promise<T>,
  withinMs: number,
): Promise<T> {
  return connection.run(work, withinMs).catch((error) => {
    throw asBusError(error);
  });
}
