/**
 * Reads a byte stream as lines. A line longer than `maxBytes` is cut after `maxBytes` + 1 bytes. So the reader sees
 * that the line is too long, and memory stays bounded. Blank lines and a byte order mark at the beginning are left
 * out.
 */
export type NumberedLine = {
  /** The line number as editors count lines: from 1, including blank lines. */
  number: number;
  bytes: Uint8Array;
};

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<NumberedLine> {
  let kept: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  const keep = (part: Uint8Array) => {
    const room = maxBytes + BYTE_ORDER_MARK.length + 1 - size;
    if (room <= 0) return;
    kept.push(part.subarray(0, room));
    size += Math.min(part.length, room);
  };
  const line = (): NumberedLine => {
    const whole = Buffer.concat(kept);
    kept = [];
    size = 0;
    number++;
    const marked = number === 1 && BYTE_ORDER_MARK.equals(whole.subarray(0, BYTE_ORDER_MARK.length));
    return { number, bytes: whole.subarray(marked ? BYTE_ORDER_MARK.length : 0).subarray(0, maxBytes + 1) };
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      from = at + 1;
      const whole = line();
      if (!isBlank(whole.bytes)) yield whole;
    }
    keep(chunk.subarray(from));
  }
  const rest = line();
  if (!isBlank(rest.bytes)) yield rest;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
