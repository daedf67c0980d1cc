/** Reads bodies into memory, within limits for one body and for all bodies together. */
import type { IncomingMessage } from 'node:http';
import { joined } from '../messages/split-lines.ts';

/** `status`: the HTTP status for this refusal. */
export class BodyRefused extends Error {
  readonly status: 413 | 503;

  constructor(status: 413 | 503, message: string) {
    super(message);
    this.name = 'BodyRefused';
    this.status = status;
  }
}

const MOST_TOGETHER_BYTES = 512 * 1024 * 1024;

export class Bodies {
  readonly #mostBytes: number;
  #together = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /**
   * Reads the whole body, and calls the work with its bytes. The bytes count towards the limit until the work is done.
   *
   * @throws BodyRefused
   */
  async read<T>(message: IncomingMessage, work: (body: Uint8Array) => Promise<T>): Promise<T> {
    const parts: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of message as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        this.#together += chunk.length;
        if (length > this.#mostBytes)
          throw new BodyRefused(413, `A message is longer than ${this.#mostBytes} bytes.`);
        if (this.#together > MOST_TOGETHER_BYTES)
          throw new BodyRefused(503, 'The proxy has too many messages in hand.');
        parts.push(chunk);
      }
      return await work(joined(parts, length));
    } finally {
      this.#together -= length;
    }
  }
}
