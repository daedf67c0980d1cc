/**
 * Reads LZ4 frames. Producers of agents may write LZ4, and Node has no LZ4 decoder. Follows the official
 * `lz4_Frame_format.md` and `lz4_Block_format.md`. Ignores LZ4 checksums, because the broker checks the batch.
 */
import { BatchFault } from './batch-fault.ts';
import { repeat } from './repetition.ts';

const MAGIC = 0x184d2204;
const UNCOMPRESSED_BLOCK = 0x80000000;

/** @throws BatchFault if the bytes are not an LZ4 frame, or the output would exceed `maxBytes` */
export function decompressLz4(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.readUInt32LE(0) !== MAGIC) throw new BatchFault('this is no LZ4 frame');
  const flags = bytes.readUInt8(4);
  const hasBlockChecksum = (flags & 0x10) !== 0;
  const hasContentSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  // Magic, flags, block descriptor and header checksum take seven bytes.
  let at = 7 + (hasContentSize ? 8 : 0) + (hasDictionary ? 4 : 0);

  const out = new OutputBuffer(maxBytes);
  for (;;) {
    const sizeField = bytes.readUInt32LE(at);
    at += 4;
    if (sizeField === 0) return out.whole();
    const length = sizeField & ~UNCOMPRESSED_BLOCK;
    if (at + length > bytes.length) throw new BatchFault('an LZ4 block is cut short');
    const block = bytes.subarray(at, at + length);
    if (sizeField >= UNCOMPRESSED_BLOCK) out.append(block);
    else decompressBlock(block, out);
    at += length + (hasBlockChecksum ? 4 : 0);
  }
}

function decompressBlock(bytes: Buffer, out: OutputBuffer): void {
  let at = 0;
  const lengthFrom = (nibble: number) => {
    let length = nibble;
    if (nibble < 15) return length;
    for (let more = 255; more === 255; length += more) more = bytes.readUInt8(at++);
    return length;
  };
  while (at < bytes.length) {
    const token = bytes.readUInt8(at++);
    const literals = lengthFrom(token >> 4);
    if (at + literals > bytes.length) throw new BatchFault('an LZ4 literal is too long');
    out.append(bytes.subarray(at, at + literals));
    at += literals;
    // The last sequence of a block has literals only.
    if (at === bytes.length) return;
    const distance = bytes.readUInt16LE(at);
    at += 2;
    out.repeat(distance, lengthFrom(token & 15) + 4);
  }
}

/**
 * A growing buffer for the decompressed output. Blocks may refer to earlier output, and few frames state their size.
 */
class OutputBuffer {
  readonly #most: number;
  #bytes = Buffer.alloc(64 * 1024);
  #end = 0;

  constructor(most: number) {
    this.#most = most;
  }

  append(bytes: Buffer): void {
    this.#makeRoom(bytes.length);
    bytes.copy(this.#bytes, this.#end);
    this.#end += bytes.length;
  }

  repeat(distance: number, length: number): void {
    this.#makeRoom(length);
    this.#end = repeat(this.#bytes, this.#end, distance, length);
  }

  whole(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  #makeRoom(length: number): void {
    const needed = this.#end + length;
    if (needed > this.#most) throw new BatchFault(`an LZ4 frame would become more than ${this.#most} bytes`);
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.min(this.#most, Math.max(2 * this.#bytes.length, needed)));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
