import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@mandate/runtime';
import type { Coordinator, Membership } from './coordinator.ts';
import { innermost, isMembershipLost } from './failure.ts';

/**
 * The results of a heartbeat that a member must handle: the group rebalances, or the group has removed the member.
 */
export type HeartbeatResult = 'rebalancing' | 'lost';

/**
 * Sends the heartbeats of one membership until it is stopped. Heartbeats continue during long work of a handler, and
 * while a new round waits for this member.
 */
export class Heartbeat {
  /** Resolves with the first result that ends the round. */
  readonly result: Promise<HeartbeatResult>;
  readonly #stopping = new AbortController();
  readonly #result = Promise.withResolvers<HeartbeatResult>();

  constructor(coordinator: Coordinator, membership: Membership, everyMs: number, log: Logger) {
    this.result = this.#result.promise;
    void this.#beat(coordinator, membership, everyMs, log);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #beat(coordinator: Coordinator, membership: Membership, everyMs: number, log: Logger): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if ((await coordinator.heartbeat(membership)) === 'rebalancing') this.#result.resolve('rebalancing');
      } catch (error) {
        if (signal.aborted) return;
        if (isMembershipLost(error)) {
          this.#result.resolve('lost');
          return;
        }
        log.warn({ err: innermost(error) }, 'a heartbeat was not answered; trying again');
      }
      await pause(everyMs, undefined, { signal }).catch(() => {});
    }
  }
}
