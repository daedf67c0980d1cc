import { misused, unavailable } from '../errors.ts';
import type { InFlight } from '../in-flight.ts';
import { keyPartition } from '../key-partition.ts';
import type { Acknowledged, Outgoing } from '../port.ts';
import { partitionChanged } from './changes.ts';
import type { Heads } from './heads.ts';
import type { Partition, Topic, Topics } from './topics.ts';
import type { Announce, Writer } from './writer.ts';

/** A record made ready for its row. */
type Ready = { partition: Partition; key: string | null; headers: string | null; value: Uint8Array };
type Slice = { records: Ready[]; bytes: number };

/** One call may bring more than one transaction should hold; it is written in slices of this size, in order. */
const SLICE_RECORDS = 500;
const SLICE_BYTES = 1024 * 1024;

export class Appender {
  readonly #topics: Topics;
  readonly #writer: Writer;
  readonly #heads: Heads;
  readonly #inFlight: InFlight;
  readonly #pending = new Set<Promise<unknown>>();
  #turn = 0;

  constructor(parts: { topics: Topics; writer: Writer; heads: Heads; inFlight: InFlight }) {
    this.#topics = parts.topics;
    this.#writer = parts.writer;
    this.#heads = parts.heads;
    this.#inFlight = parts.inFlight;
  }

  append(topic: string, outgoing: readonly Outgoing[]): Promise<readonly Acknowledged[]> {
    const appended = this.#append(topic, outgoing).finally(() => this.#pending.delete(appended));
    this.#pending.add(appended);
    return appended;
  }

  /** Resolves when every append begun so far has ended, well or badly. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }

  async #append(topicName: string, outgoing: readonly Outgoing[]): Promise<readonly Acknowledged[]> {
    const topic = await this.#topics.get(topicName);
    const records = outgoing.map((record) => this.#ready(topic, record));
    const bytes = records.reduce((sum, record) => sum + record.value.byteLength, 0);
    await this.#inFlight.enter(records.length, bytes);
    try {
      return await this.#write(slices(records));
    } finally {
      this.#inFlight.leave(records.length, bytes);
    }
  }

  #ready(topic: Topic, { key, value, headers, partition }: Outgoing): Ready {
    const place = topic.partitions[partition ?? this.#place(key, topic.partitions.length)];
    if (place === undefined) throw misused(`${topic.name} has no partition ${partition}`);
    return {
      partition: place,
      key,
      headers: headers === undefined ? null : JSON.stringify(headers),
      value: typeof value === 'string' ? Buffer.from(value) : value,
    };
  }

  #place(key: string | null, partitions: number): number {
    if (key !== null) return keyPartition(key, partitions);
    this.#turn = (this.#turn + 1) % partitions;
    return this.#turn;
  }

  async #write(all: readonly Slice[]): Promise<readonly Acknowledged[]> {
    // Once a slice failed the later ones must not land, or the caller's retry would come out of order.
    let failure: unknown;
    const written = all.map(({ records, bytes }) =>
      this.#writer
        .submit(
          (announce) => {
            if (failure !== undefined)
              throw unavailable('an earlier part of the append failed', { cause: failure });
            return this.#insert(records, announce);
          },
          { records: records.length, bytes },
        )
        .catch((error) => {
          failure ??= error;
          throw error;
        }),
    );
    const outcomes = await Promise.allSettled(written);
    if (failure !== undefined) throw failure;
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }

  #insert(records: readonly Ready[], announce: Announce): Acknowledged[] {
    return records.map(({ partition, key, headers, value }) => {
      const { offset, appendedAtMs } = this.#heads.take(partition.id);
      partition.insert.run(offset, appendedAtMs, key, headers, value);
      announce(partitionChanged(partition.id));
      return {
        coordinate: { topic: partition.topic, partition: partition.partition, offset },
        appendedAtMs,
      };
    });
  }
}

function slices(records: readonly Ready[]): Slice[] {
  const all: Slice[] = [];
  let last: Slice | undefined;
  for (const record of records) {
    const size = record.value.byteLength;
    if (last === undefined || last.records.length === SLICE_RECORDS || last.bytes + size > SLICE_BYTES) {
      last = { records: [], bytes: 0 };
      all.push(last);
    }
    last.records.push(record);
    last.bytes += size;
  }
  return all;
}
