import type { Coordinator, Membership, TopicPartition } from './coordinator.ts';

type Waiting = TopicPartition & { offset: number; resolve: () => void; reject: (error: unknown) => void };

/**
 * Combines the commits of one member in one round. A broker answers the requests of a connection in order, and writes
 * each commit to its log. So the commits of all partitions wait during a running commit, and the next request sends
 * them together.
 */
export class Commits {
  readonly #coordinator: Coordinator;
  readonly #membership: Membership;
  #waiting: Waiting[] = [];
  #isSending = false;

  constructor(coordinator: Coordinator, membership: Membership) {
    this.#coordinator = coordinator;
    this.#membership = membership;
  }

  /** Moves the group's position. Fails with BUS_FENCED if the group has removed this member. */
  commit({ topic, partition }: TopicPartition, offset: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ topic, partition, offset, resolve, reject });
      void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#coordinator.commit(this.#membership, batch).then(
        () => {
          for (const { resolve } of batch) resolve();
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
    this.#isSending = false;
  }
}
