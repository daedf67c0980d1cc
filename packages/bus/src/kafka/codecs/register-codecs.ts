import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import kafkajs from 'kafkajs';

/** A batch is 1 MiB on the wire; what becomes more than this is an attack on memory, not a batch. */
const MOST_BYTES = 64 * 1024 * 1024;

const { CompressionCodecs, CompressionTypes } = kafkajs;

/** kafkajs brings GZIP alone. zstd is Node's own. */
export function registerCodecs(): void {
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: async ({ buffer }: { buffer: Buffer }) => zstdCompressSync(buffer),
    decompress: async (bytes: Buffer) => zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES }),
  });
}
