import { unavailable } from '../errors.ts';
import type { Acknowledged } from '../port.ts';
import type { Appended } from './acknowledgement.ts';
import type { WireMessage } from './client.ts';
import type { TopicPartition } from './coordinator.ts';

/** A slice of an append: records for one partition. One request contains the whole slice. */
type Submitted = { messages: WireMessage[]; bytes: number };

type Waiting = Submitted & {
  /** Returns the reason why the slice must not be written any more. Undefined if it may be written. */
  obstacle(): unknown;
  resolve(acknowledged: readonly Acknowledged[]): void;
  reject(error: unknown): void;
};

/**
 * The maximum number of records and bytes in a request. Both limits are far below the largest batch that a topic
 * accepts.
 */
export const REQUEST = { records: 5_000, bytes: 900 * 1024 };

/**
 * Appends records to one partition, with one request at a time. So the order is kept even if a request fails and is
 * sent again. New records wait for the running request. Then the next request contains as many of them as fit.
 */
export class PartitionQueue {
  readonly #topicPartition: TopicPartition;
  readonly #produce: (messages: WireMessage[]) => Promise<Appended>;
  readonly #waiting: Waiting[] = [];
  #isSending = false;

  /** @param produce sends one request, and retries if a retry may help */
  constructor(topicPartition: TopicPartition, produce: (messages: WireMessage[]) => Promise<Appended>) {
    this.#topicPartition = topicPartition;
    this.#produce = produce;
  }

  /** @param urgent if true, these records go into the next request, before all others */
  submit(submitted: Submitted, obstacle: () => unknown, urgent = false): Promise<readonly Acknowledged[]> {
    return new Promise((resolve, reject) => {
      const waiting = { ...submitted, obstacle, resolve, reject };
      if (urgent) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    // Waits, so that all records submitted in the same turn go into one request.
    await Promise.resolve();
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#send(batch);
    this.#isSending = false;
  }

  #take(): Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    let records = 0;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const obstacle = next.obstacle();
      if (obstacle === undefined) {
        bytes += next.bytes;
        records += next.messages.length;
        if (taken.length > 0 && (bytes > REQUEST.bytes || records > REQUEST.records)) break;
        taken.push(next);
      } else {
        next.reject(unavailable('an earlier part of the append failed', { cause: obstacle }));
      }
      this.#waiting.shift();
    }
    return taken;
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    try {
      const messages = batch.flatMap((each) => each.messages);
      const { baseOffset, appendedAtMs } = await this.#produce(messages);
      let offset = baseOffset;
      for (const each of batch) {
        each.resolve(
          each.messages.map((_, i) => ({
            position: { ...this.#topicPartition, offset: offset + i },
            appendedAtMs,
          })),
        );
        offset += each.messages.length;
      }
    } catch (error) {
      for (const each of batch) each.reject(error);
    }
  }
}
