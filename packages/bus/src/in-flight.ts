import { overloaded } from './errors.ts';

export type InFlightLimits = { records: number; bytes: number; waitMs: number };

/**
 * Back-pressure: limits the records that were sent to the log and are not yet acknowledged. At the limit, callers
 * wait in order, for a limited time. An append that is larger than the limit is accepted if no other append is in
 * flight. Otherwise it could never start.
 */
export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #queue: { records: number; bytes: number; acquire: () => void }[] = [];
  #records = 0;
  #bytes = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves when the records fit within the limit, or at once if urgent. Rejects with BUS_OVERLOADED after `waitMs`.
   * After it has resolved, the caller must call `release` later.
   */
  acquire(records: number, bytes: number, urgent = false): Promise<void> {
    if (urgent || (this.#queue.length === 0 && this.#hasRoom(records, bytes))) {
      this.#records += records;
      this.#bytes += bytes;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting = {
        records,
        bytes,
        acquire: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(
          overloaded(
            `no room for ${records} records within ${this.#limits.waitMs} ms: ` +
              `${this.#records} records, ${this.#bytes} bytes are in flight`,
          ),
        );
        this.#admit();
      }, this.#limits.waitMs);
      this.#queue.push(waiting);
    });
  }

  release(records: number, bytes: number): void {
    this.#records -= records;
    this.#bytes -= bytes;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (!this.#hasRoom(next.records, next.bytes)) return;
      this.#queue.shift();
      this.#records += next.records;
      this.#bytes += next.bytes;
      next.acquire();
    }
  }

  #hasRoom(records: number, bytes: number): boolean {
    if (this.#records === 0) return true;
    return this.#records + records <= this.#limits.records && this.#bytes + bytes <= this.#limits.bytes;
  }
}
