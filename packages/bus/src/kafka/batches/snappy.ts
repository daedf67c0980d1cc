/**
 * Reads Snappy. Producers of agents may write Snappy, and Node has no Snappy decoder. Follows Google's
 * `format_description.txt`. Java producers add the framing of snappy-java (xerial) around the blocks.
 */

import { BatchFault } from './batch-fault.ts';
import { repeat } from './repetition.ts';

const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** The length of the header: eight magic bytes, and two version numbers of four bytes each. */
const XERIAL_HEADER_BYTES = 16;

/** @throws BatchFault if the bytes are not Snappy, or the output would exceed `maxBytes` */
export function decompressSnappy(bytes: Buffer, maxBytes: number): Buffer {
  if (!bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) return decompressBlock(bytes, maxBytes);
  const blocks: Buffer[] = [];
  let room = maxBytes;
  for (let at = XERIAL_HEADER_BYTES; at < bytes.length; ) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0 || at + length > bytes.length) throw new BatchFault('a snappy block is cut short');
    const block = decompressBlock(bytes.subarray(at, at + length), room);
    blocks.push(block);
    room -= block.length;
    at += length;
  }
  return Buffer.concat(blocks);
}

function decompressBlock(bytes: Buffer, maxBytes: number): Buffer {
  let at = 0;
  const next = () => bytes.readUInt8(at++);
  const little = (count: number) => {
    const number = bytes.readUIntLE(at, count);
    at += count;
    return number;
  };

  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = next();
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
    if (shift > 28) throw new BatchFault('a snappy block does not tell its size');
  }
  if (size > maxBytes) throw new BatchFault(`a snappy block would become ${size} bytes`);

  const out = Buffer.alloc(size);
  let end = 0;
  while (at < bytes.length) {
    const tag = next();
    const kind = tag & 3;
    if (kind === 0) {
      const lengthField = tag >> 2;
      const length = (lengthField < 60 ? lengthField : little(lengthField - 59)) + 1;
      if (at + length > bytes.length || end + length > size)
        throw new BatchFault('a snappy literal is too long');
      bytes.copy(out, end, at, at + length);
      at += length;
      end += length;
    } else {
      const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
      const distance = kind === 1 ? ((tag >> 5) << 8) | next() : little(kind === 2 ? 2 : 4);
      end = repeat(out, end, distance, length);
    }
  }
  if (end !== size) throw new BatchFault('a snappy block is shorter than it says');
  return out;
}
