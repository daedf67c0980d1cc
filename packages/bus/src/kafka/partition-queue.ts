import { unavailable } from '../errors.ts';
import type { Acknowledged } from '../port.ts';
import type { Appended } from './acknowledgement.ts';
import type { WireMessage } from './client.ts';
import type { TopicPartition } from './coordinator.ts';

/** Records of one append for one partition that go in one request. */
type Submitted = { messages: WireMessage[]; bytes: number };

type Waiting = Submitted & {
  /** Why it must not be written any more, if so. */
  obstacle(): unknown;
  resolve(acknowledged: readonly Acknowledged[]): void;
  reject(error: unknown): void;
};

/** What is put into one request, well below the largest batch that a topic takes. */
export const REQUEST = { records: 5_000, bytes: 900 * 1024 };

/**
 * What is to be appended to one partition. One request is in flight at a time, which is what keeps the order when one
 * of them fails and is sent again; meanwhile what arrives piles up and goes along in the next one.
 */
export class PartitionQueue {
  readonly #topicPartition: TopicPartition;
  readonly #produce: (messages: WireMessage[]) => Promise<Appended>;
  readonly #waiting: Waiting[] = [];
  #isSending = false;

  /** @param produce one request, sent again as long as that may help */
  constructor(topicPartition: TopicPartition, produce: (messages: WireMessage[]) => Promise<Appended>) {
    this.#topicPartition = topicPartition;
    this.#produce = produce;
  }

  /** @param urgent goes along in the next request, before all others */
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
    // What is submitted in the same turn goes along.
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
