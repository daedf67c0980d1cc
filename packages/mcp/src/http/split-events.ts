/**
 * Splits a stream of server-sent events. The bytes of each event are kept. So an unchanged event passes with its
 * comments, its id and its kind of line ends.
 */
import { decoded, joined } from '../messages/split-lines.ts';

export type SseEvent = {
  bytes: Uint8Array;
  /** The lines of the event without their line ends. Null if the bytes are not UTF-8. */
  lines: readonly string[] | null;
  /** The data of the event. Null if the event has no data. */
  data: string | null;
};

/** An event is longer than the cap. The rest of the stream cannot be read. */
export class EventTooLong extends Error {
  constructor(mostBytes: number) {
    super(`An event is longer than ${mostBytes} bytes.`);
    this.name = 'EventTooLong';
  }
}

const CR = 0x0d;
const LF = 0x0a;

export class EventSplitter {
  readonly #mostBytes: number;
  /** The bytes of the unfinished event. */
  #parts: Uint8Array[] = [];
  #length = 0;
  /** True if the last byte ended a line. Another line end here ends the event. */
  #isLineStart = false;
  /** True if the last byte was a CR, which may belong to a CR LF. */
  #isAfterCr = false;
  /** True until the first event has ended. Only this event may begin with a byte order mark, which clients ignore. */
  #isFirst = true;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /**
   * Returns the events that end in this chunk. An event ends with a blank line. A line ends with LF, CR LF or CR.
   *
   * @throws EventTooLong
   */
  push(chunk: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    const lineEnded = (end: number) => {
      if (!this.#isLineStart) {
        this.#isLineStart = true;
        return;
      }
      this.#take(chunk.subarray(from, end));
      events.push(eventOf(joined(this.#parts, this.#length), this.#isFirst));
      this.#isFirst = false;
      this.#parts = [];
      this.#length = 0;
      this.#isLineStart = false;
      from = end;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isAfterCr) {
        this.#isAfterCr = false;
        lineEnded(byte === LF ? at + 1 : at);
        if (byte === LF) continue;
      }
      if (byte === CR) this.#isAfterCr = true;
      else if (byte === LF) lineEnded(at + 1);
      else this.#isLineStart = false;
    }
    this.#take(chunk.subarray(from));
    return events;
  }

  /** Returns the rest when the stream ends: an event without its blank line. Clients ignore such an event. */
  rest(): Uint8Array {
    return joined(this.#parts, this.#length);
  }

  #take(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#mostBytes) throw new EventTooLong(this.#mostBytes);
    if (part.length > 0) this.#parts.push(part);
  }
}

function eventOf(bytes: Uint8Array, isFirst: boolean): SseEvent {
  const text = decoded(bytes);
  if (text === null) return { bytes, lines: null, data: null };
  const lines = (isFirst ? text.replace(/^\uFEFF/, '') : text).split(/\r\n|\n|\r/);
  const data = lines.filter(isData).map((line) => line.slice(5).replace(/^ /, ''));
  return { bytes, lines, data: data.length === 0 ? null : data.join('\n') };
}

function isData(line: string): boolean {
  return line === 'data' || line.startsWith('data:');
}

/** Returns the event with other data. Its id, its type and its comments are kept. */
export function withData({ lines }: SseEvent, data: string): string {
  const others = (lines ?? []).filter((line) => line !== '' && !isData(line));
  // In a JSON message, a line break is only white space between two tokens. In an event it would end the data, so it is
  // replaced by a blank.
  return `${[...others, `data: ${data.replace(/[\r\n]+/g, ' ')}`].join('\n')}\n\n`;
}
