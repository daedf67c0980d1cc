/**
 * Stores snapshots on a topic of the log, for processes that share the log but no folder. A snapshot is compressed
 * and cut into parts. A closing record lists the parts. Without its closing record, a snapshot does not exist.
 * Closing records have their own partition, so the newest snapshot is always the last record of this partition, even
 * if dead writers left parts behind. A closing record has the position of each part, so several writers may write at
 * once.
 */
import { createHash, randomUUID } from 'node:crypto';
import { pipeline as pipelineOf, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import type { Bus, LogPosition, LogRecord, PartitionRange } from '../port.ts';
import { linesOf, textOf } from './lines-and-text.ts';
import type { Snapshots } from './port.ts';
import { unreadableSnapshot } from './unreadable-snapshot.ts';

/**
 * The size at which a part ends. The compressed piece that exceeds this size still belongs to the part. Such a part
 * is smaller than half of the largest record of the topic.
 */
const PART_BYTES = 512 * 1024;

/** The key of closing records. Parts have the name of their snapshot as key. */
const CLOSING = 'snapshot.taken';

const position = z.tuple([z.int().min(0), z.int().min(0)]);
const closingRecord = z.object({
  event: z.literal(CLOSING),
  snapshot: z.object({
    id: z.string(),
    /** The first line of the snapshot: the version of its format, and the log positions that it covers. */
    head: z.string(),
    encoding: z.literal('zstd'),
    /** Partition and offset of each part, in order. */
    parts: z.array(position).min(1),
    bytes: z.int(),
    /** The SHA-256 of all parts, one after another. */
    sha256: z.string(),
  }),
});
type ClosingRecord = z.infer<typeof closingRecord>;
type Closing = ClosingRecord['snapshot'];

/** @param topic a topic for snapshots of one kind only, best with two partitions */
export function topicSnapshots(bus: Bus, topic: string): Snapshots {
  return {
    async *newestFirst() {
      const { closings } = await partitions(bus, topic);
      for (let offset = closings.endOffset - 1; offset >= closings.startOffset; offset -= 1) {
        const record = await bus.at({ ...closings, offset });
        if (record?.key !== CLOSING) continue;
        yield {
          name: nameOf(record.position),
          head: async () => closingIn(record).head,
          lines: () => linesIn(bus, topic, closingIn(record)),
        };
      }
    },
    async save(lines, signal) {
      const { closings, parts } = await partitions(bus, topic);
      const id = `snp_${randomUUID()}`;
      const seal = createHash('sha256');
      const closing: Closing = { id, head: '', encoding: 'zstd', parts: [], bytes: 0, sha256: '' };
      function* headNoted() {
        for (const line of lines) {
          closing.head ||= line;
          yield line;
        }
      }
      async function append(
        partition: number,
        key: string,
        value: string | Uint8Array,
      ): Promise<LogPosition> {
        const [appended] = await bus.append(topic, [{ key, value, partition }]);
        if (appended === undefined) throw new TypeError('a log that acknowledges nothing');
        return appended.position;
      }
      await pipeline(
        Readable.from(textOf(headNoted())),
        createZstdCompress(),
        async (pieces: AsyncIterable<Buffer>) => {
          for await (const part of inParts(pieces)) {
            const { partition, offset } = await append(parts.partition, id, part);
            closing.parts.push([partition, offset]);
            closing.bytes += part.length;
            seal.update(part);
          }
        },
        { ...(signal && { signal }) },
      );
      closing.sha256 = seal.digest('hex');
      const record: ClosingRecord = { event: CLOSING, snapshot: closing };
      const at = await append(closings.partition, CLOSING, JSON.stringify(record));
      return { name: nameOf(at), bytes: closing.bytes };
    },
  };
}

/**
 * Returns the first partition, which is for closing records, and the last partition, which is for parts. If the topic
 * has one partition, this partition is for both.
 */
async function partitions(
  bus: Bus,
  topic: string,
): Promise<{ closings: PartitionRange; parts: PartitionRange }> {
  const ranges = [...(await bus.ranges(topic))].sort((a, b) => a.partition - b.partition);
  const [closings, parts] = [ranges[0], ranges.at(-1)];
  if (closings === undefined || parts === undefined) throw new TypeError('a topic without partitions');
  return { closings, parts };
}

function closingIn({ value }: LogRecord): Closing {
  try {
    return closingRecord.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value))).snapshot;
  } catch (cause) {
    throw unreadableSnapshot('this version does not know its closing record', cause);
  }
}

function linesIn(bus: Bus, topic: string, closing: Closing): AsyncIterable<string> {
  // A failure of one stream destroys the other streams with its error. So the reader of the last stream gets the
  // error.
  return linesOf(pipelineOf(Readable.from(partsIn(bus, topic, closing)), createZstdDecompress(), () => {}));
}

/** Yields the parts. Checks the digest of all parts before it yields the last part. */
async function* partsIn(bus: Bus, topic: string, { parts, sha256 }: Closing): AsyncGenerator<Uint8Array> {
  const seal = createHash('sha256');
  for (const [at, [partition, offset]] of parts.entries()) {
    const part = await bus.at({ topic, partition, offset });
    if (part === null) throw unreadableSnapshot('a part of it is gone');
    seal.update(part.value);
    if (at === parts.length - 1 && seal.digest('hex') !== sha256) {
      throw unreadableSnapshot('its parts differ from the written parts');
    }
    yield part.value;
  }
}

async function* inParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let part: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    part.push(piece);
    bytes += piece.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(part);
    [part, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(part);
}

function nameOf({ topic, partition, offset }: LogPosition): string {
  return `${topic}/${partition}/${offset}`;
}
