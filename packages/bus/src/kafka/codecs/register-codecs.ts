import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import { decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';

/** A batch is 1 MiB on the wire; what becomes more than this is an attack on memory, not a batch. */
const MOST_BYTES = 64 * 1024 * 1024;

const { CompressionCodecs, CompressionTypes } = kafkajs;

/**
 * kafkajs brings gzip alone, without a bound. Producers choose for themselves, and a batch that cannot be read halts
 * its partition: so all that Kafka knows is read here. Nothing is written compressed.
 */
export function registerCodecs(): void {
  const codecs = CompressionCodecs as unknown as Record<number, () => object>;
  const maxOutputLength = MOST_BYTES;
  codecs[CompressionTypes.GZIP] = () => reading((bytes) => gunzipSync(bytes, { maxOutputLength }));
  codecs[CompressionTypes.ZSTD] = () => reading((bytes) => zstdDecompressSync(bytes, { maxOutputLength }));
  codecs[CompressionTypes.Snappy] = () => reading((bytes) => decompressSnappy(bytes, MOST_BYTES));
  codecs[CompressionTypes.LZ4] = () => reading((bytes) => decompressLz4(bytes, MOST_BYTES));
}

function reading(decompress: (bytes: Buffer) => Buffer): object {
  return { decompress: async (bytes: Buffer) => decompress(bytes) };
}
