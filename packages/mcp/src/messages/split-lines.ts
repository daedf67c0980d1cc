/**
 * Splits a stream of bytes into lines. Bytes may be split anywhere, also inside of a character, so lines are separated
 * as bytes and decoded as a whole.
 */

const LINE_FEED = 0x0a;

/** A line is longer than the cap. The rest of the stream cannot be read. */
export class LineTooLong extends Error {
  constructor(mostBytes: number) {
    super(`A line is longer than ${mostBytes} bytes.`);
    this.name = 'LineTooLong';
  }
}

export class LineSplitter {
  readonly #mostBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /**
   * Returns the lines that end in this chunk, without the line feed.
   *
   * @throws LineTooLong
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      this.#take(chunk.subarray(from, end));
      lines.push(joined(this.#parts, this.#bytes));
      this.#parts = [];
      this.#bytes = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
    return lines;
  }

  #take(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#mostBytes) {
      this.#parts = [];
      throw new LineTooLong(this.#mostBytes);
    }
    this.#parts.push(part);
  }
}

/** Returns the parts as one array of bytes. `bytes`: their total length. */
export function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a line. Null if the bytes are not UTF-8. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return null;
  }
}
