import { overloaded } from './errors.ts';

export type InFlightBounds = { records: number; bytes: number; waitMs: number };

/**
 * Back-pressure: limits the records that are handed to the log and not yet acknowledged. While it is full, callers
 * wait in order, for a bounded time. An append larger than the limit passes when it is alone, because otherwise it
 * could never pass.
 */
export class InFlight {
  readonly #bounds: InFlightBounds;
  readonly #line: { records: number; bytes: number; enter: () => void }[] = [];
  #records = 0;
  #bytes = 0;

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds;
  }

  /**
   * Resolves when there is room, or at once if urgent. Rejects with BUS_OVERLOADED after `waitMs`. Each caller that
   * entered must call `leave`.
   */
  enter(records: number, bytes: number, urgent = false): Promise<void> {
    if (urgent || (this.#line.length === 0 && this.#hasRoom(records, bytes))) {
      this.#records += records;
      this.#bytes += bytes;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting = {
        records,
        bytes,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(waiting), 1);
        reject(
          overloaded(
            `no room for ${records} records within ${this.#bounds.waitMs} ms: ` +
              `${this.#records} records, ${this.#bytes} bytes are in flight`,
          ),
        );
        this.#admit();
      }, this.#bounds.waitMs);
      this.#line.push(waiting);
    });
  }

  leave(records: number, bytes: number): void {
    this.#records -= records;
    this.#bytes -= bytes;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#line[0]; next !== undefined; next = this.#line[0]) {
      if (!this.#hasRoom(next.records, next.bytes)) return;
      this.#line.shift();
      this.#records += next.records;
      this.#bytes += next.bytes;
      next.enter();
    }
  }

  #hasRoom(records: number, bytes: number): boolean {
    if (this.#records === 0) return true;
    return this.#records + records <= this.#bounds.records && this.#bytes + bytes <= this.#bounds.bytes;
  }
}
