import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { turns } from '@mandate/runtime';
import { BatchFault } from './batch-fault.ts';
import { decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';

/**
 * The error codes of zlib for damaged input, and of Node for input that ends too early. Out of memory is not
 * included, because it is not a fault of the input.
 */
const GARBLED =
  /^(Z_DATA_ERROR|Z_BUF_ERROR|Z_NEED_DICT|ZSTD_error_(?!memory).*|ERR_OUT_OF_RANGE|ERR_BUFFER_OUT_OF_BOUNDS)$/;
const CHUNK_BYTES = 64 * 1024;
const LANE = ['decompress'];

/** The number of each codec in Kafka. */
const COMPRESSION = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

const inflateGzip = promisify(gunzip);
const inflateZstd = promisify(zstdDecompress);

/**
 * Decompresses bytes of any codec that Kafka knows. Stops when the output exceeds `maxBytes`, even if input remains.
 * @throws BatchFault if the output would be too large, the input is damaged, or the codec is unknown
 */
export async function decompress(codec: number, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(codec, bytes, maxBytes);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BatchFault(`it would become more than ${maxBytes} bytes`);
    if (GARBLED.test(code)) throw new BatchFault(`it is cut or garbled: ${message}`, { cause: error });
    throw error;
  }
}

async function inflate(codec: number, bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  const options = { maxOutputLength, chunkSize: CHUNK_BYTES };
  switch (codec) {
    case COMPRESSION.none:
      return bytes;
    case COMPRESSION.gzip:
      return inflateGzip(bytes, options);
    case COMPRESSION.zstd:
      return inflateZstd(bytes, options);
    // The snappy and LZ4 decoders block the event loop. So waiting work gets a turn before they run.
    case COMPRESSION.snappy:
      await turns.next(LANE);
      return decompressSnappy(bytes, maxOutputLength);
    case COMPRESSION.lz4:
      await turns.next(LANE);
      return decompressLz4(bytes, maxOutputLength);
    default:
      throw new BatchFault(`nothing here knows codec ${codec}`);
  }
}
