/**
 * Enforces `rate_limit_tpm` of agents: how many tokens their model calls may use in a minute. The ledger counts no
 * tokens, so each runner counts those of its own calls. A restart forgets them.
 */
import type { Clock } from '@mandate/runtime';

const WINDOW_MS = 60_000;

type Used = { atMs: number; tokens: number };

/** A call that was counted. `used` replaces the estimate by the real number. */
export type CountedCall = { used(tokens: number): void };

export class TokenWindows {
  readonly #clock: Clock;
  readonly #used = new Map<string, Used[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a call if it fits into the window. Otherwise returns after how many milliseconds it may fit. */
  take(agentId: string, tokens: number, mostTokens: number): CountedCall | { waitMs: number } {
    const nowMs = this.#clock();
    const calls = (this.#used.get(agentId) ?? []).filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
    this.#used.set(agentId, calls);
    let left = mostTokens - calls.reduce((sum, call) => sum + call.tokens, 0);
    if (tokens <= left) {
      const call = { atMs: nowMs, tokens };
      calls.push(call);
      return {
        used: (real) => {
          call.tokens = real;
        },
      };
    }
    for (const { atMs, tokens: freed } of calls) {
      left += freed;
      if (tokens <= left) return { waitMs: atMs + WINDOW_MS - nowMs };
    }
    return { waitMs: WINDOW_MS };
  }
}
