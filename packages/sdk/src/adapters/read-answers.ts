/** Reads the answers of providers and frameworks: fields of unknown types, the usage in a document, and events. */

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the value as an object with fields. For a value that is not an object, returns no fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the fields of a JSON text. For a text that is not a JSON object, returns no fields. */
export function fieldsOfJson(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

/** The maximum length of an answer that is kept. The usage of a longer answer is read from its end. */
const MOST_PARSED_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

export type ReadDocument = {
  /** Adds the next piece of the body. */
  piece(bytes: Uint8Array): void;
  /** Returns the fields after the last piece. For a long answer, only its usage is known. */
  fields(): Fields;
};

export function readDocument(): ReadDocument {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isLong = false;
  return {
    piece(bytes) {
      pieces.push(bytes.slice());
      size += bytes.byteLength;
      if (size > MOST_PARSED_BYTES || (isLong && size > 2 * TAIL_BYTES)) {
        const tail = joined(pieces).slice(-TAIL_BYTES);
        pieces = [tail];
        size = tail.byteLength;
        isLong = true;
      }
    },
    fields() {
      const text = new TextDecoder().decode(joined(pieces));
      return isLong ? { usage: usageInTail(text) } : fieldsOfJson(text);
    },
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}

/** Returns the last field `usage` of a document that lacks its beginning. */
function usageInTail(text: string): unknown {
  const field = text.lastIndexOf('"usage"');
  const begin = field === -1 ? -1 : text.indexOf('{', field);
  let depth = 0;
  for (let at = begin; at >= 0 && at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return fieldsOfJson(text.slice(begin, at + 1));
  }
  return undefined;
}

/** The maximum number of characters of one event. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

const END_OF_EVENT = /\r\n\r\n|\n\n|\r\r/g;

export type EventBlocks = {
  /**
   * Adds the next piece, and returns the events that are now complete, each with its empty line. Null: an event is too
   * long, and `rest` returns all text that `take` has not returned.
   */
  take(piece: Uint8Array): string[] | null;
  rest(): string;
};

/** Splits a body into events and keeps their bytes, so that single events can be left out. */
export function eventBlocks(): EventBlocks {
  // A byte order mark belongs to the bytes that are passed on.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let open = '';
  return {
    take(piece) {
      // The end of an event may be split between two pieces, so the search begins a little earlier.
      const from = Math.max(0, open.length - 3);
      open += decoder.decode(piece, { stream: true });
      const blocks: string[] = [];
      let begin = 0;
      END_OF_EVENT.lastIndex = from;
      for (let end = END_OF_EVENT.exec(open); end !== null; end = END_OF_EVENT.exec(open)) {
        blocks.push(open.slice(begin, END_OF_EVENT.lastIndex));
        begin = END_OF_EVENT.lastIndex;
      }
      const rest = open.slice(begin);
      if (rest.length > MOST_CHARACTERS) return null;
      open = rest;
      return blocks;
    },
    rest: () => open,
  };
}

/** Returns the data of an event. The text is empty if the event has no data. */
export function dataOf(block: string): string {
  return block
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
    .join('\n');
}
