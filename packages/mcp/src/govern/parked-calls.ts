/**
 * Calls that need input of the client. The client makes such a call again with the input, perhaps after minutes. Each
 * call keeps its arguments in memory, so their total size is limited too.
 */
import type { OpenCall } from './open-call.ts';

const MOST_CALLS = 10_000;
const MOST_UNITS = 32 * 1024 * 1024;

export class ParkedCalls {
  readonly #calls = new Map<string, OpenCall>();
  #units = 0;

  /** The oldest calls are forgotten if there are too many. */
  keep(call: OpenCall): void {
    this.take(call.callId);
    this.#calls.set(call.callId, call);
    this.#units += call.units;
    while (this.#calls.size > MOST_CALLS || this.#units > MOST_UNITS) {
      const [oldest] = this.#calls.keys();
      if (oldest === undefined) return;
      this.take(oldest);
    }
  }

  /** Returns a call, and forgets it. Null: no such call waits. */
  take(callId: string): OpenCall | null {
    const call = this.#calls.get(callId);
    if (call === undefined) return null;
    this.#calls.delete(callId);
    this.#units -= call.units;
    return call;
  }
}
