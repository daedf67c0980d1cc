import type { Writable } from 'node:stream';

export type Direction = 'request' | 'answer';

/** One direction of a connection. One message may be held, and later messages then wait. */
export class Lane {
  readonly #to: Writable;
  readonly #waiting: { bytes: Buffer; whenHeld: (() => void) | undefined }[] = [];
  #isHeld = false;

  constructor(to: Writable) {
    this.#to = to;
  }

  /** @param whenHeld called when all earlier messages are sent; this message then waits until `goOn` is called */
  send(bytes: Buffer, whenHeld?: () => void): void {
    this.#waiting.push({ bytes, whenHeld });
    this.#flow();
  }

  goOn(how: 'with it' | 'without it'): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const held = this.#waiting.shift();
    if (how === 'with it' && held !== undefined) this.#to.write(held.bytes);
    this.#flow();
  }

  #flow(): void {
    while (!this.#isHeld) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      if (next.whenHeld !== undefined) {
        this.#isHeld = true;
        next.whenHeld();
      } else {
        this.#to.write(next.bytes);
        this.#waiting.shift();
      }
    }
  }
}
