import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@mandate/runtime';
import type { Coordinator, Membership } from './coordinator.ts';
import { innermost, isMembershipLost } from './failure.ts';

/** What a member learns by its heartbeats: a new round has begun, or the group has given it up. */
export type News = 'rebalancing' | 'lost';

/**
 * The heartbeats of one membership, on until stopped: also while a handler works long, and while a new round waits
 * for this member to be done with what it has in hand.
 */
export class Pulse {
  readonly news: Promise<News>;
  readonly #stopping = new AbortController();
  readonly #news = Promise.withResolvers<News>();

  constructor(coordinator: Coordinator, membership: Membership, everyMs: number, log: Logger) {
    this.news = this.#news.promise;
    void this.#beat(coordinator, membership, everyMs, log);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #beat(coordinator: Coordinator, membership: Membership, everyMs: number, log: Logger): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if ((await coordinator.heartbeat(membership)) === 'rebalancing') this.#news.resolve('rebalancing');
      } catch (error) {
        if (signal.aborted) return;
        if (isMembershipLost(error)) {
          this.#news.resolve('lost');
          return;
        }
        log.warn({ err: innermost(error) }, 'a heartbeat was not answered; trying again');
      }
      await pause(everyMs, undefined, { signal }).catch(() => {});
    }
  }
}
