/** Reads JSON of providers and frameworks. Nothing is known about the types of its values. */

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the value as an object with fields. A value that is no object has none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the fields of a JSON text. A text that is no JSON object has none. */
export function fieldsOfJson(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

/** A longer answer is not parsed a second time. Its usage is looked for at its end. */
const MOST_PARSED_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

export type StatedUsage = {
  /** Takes the next piece of the body. */
  piece(bytes: Uint8Array): void;
  /** Returns the usage after the last piece. Undefined if there is none. */
  usage(): unknown;
};

export function statedUsage(): StatedUsage {
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
    usage() {
      const text = new TextDecoder().decode(joined(pieces));
      return isLong ? usageInTail(text) : fieldsOfJson(text).usage;
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

/** Returns the last field `usage` of a document without its beginning. */
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
