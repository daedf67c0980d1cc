import type { WrittenRecord } from '@mandate/schemas';
import { misused, unavailable } from '../errors.ts';
import type { InFlight } from '../in-flight.ts';
import { Partitioner } from '../partitioner.ts';
import { Pending } from '../pending.ts';
import type { Acknowledged, AppendOptions, Headers, Outgoing } from '../port.ts';
import { type Slice, slicesOf } from '../slices.ts';
import { partitionChanged } from './changes.ts';
import type { Heads } from './heads.ts';
import type { Tail } from './tail.ts';
import type { Partition, Topic, Topics } from './topics.ts';
import type { Announce, Writer } from './writer.ts';

/**
 * A record that is ready to be inserted, with exactly the values that readers will get. For example, SQLite replaces
 * invalid characters in a key, so they are already replaced here.
 */
type Ready = {
  partition: Partition;
  key: string | null;
  headers: Headers | null;
  value: Uint8Array;
  /** The size of the value in bytes. */
  bytes: number;
  written: WrittenRecord | undefined;
};

/** The maximum number of records and bytes in one transaction. */
const TRANSACTION = { records: 500, bytes: 1024 * 1024 };

export class Appender {
  readonly #topics: Topics;
  readonly #writer: Writer;
  readonly #heads: Heads;
  readonly #tail: Tail;
  readonly #inFlight: InFlight;
  readonly #partitioner = new Partitioner();
  readonly #pending = new Pending();

  constructor(parts: { topics: Topics; writer: Writer; heads: Heads; tail: Tail; inFlight: InFlight }) {
    this.#topics = parts.topics;
    this.#writer = parts.writer;
    this.#heads = parts.heads;
    this.#tail = parts.tail;
    this.#inFlight = parts.inFlight;
  }

  append(
    topic: string,
    outgoing: readonly Outgoing[],
    { urgent = false }: AppendOptions = {},
  ): Promise<readonly Acknowledged[]> {
    return this.#pending.track(this.#append(topic, outgoing, urgent));
  }

  /** Resolves when every started append has ended, with or without an error. */
  settled(): Promise<void> {
    return this.#pending.settled();
  }

  async #append(
    topicName: string,
    outgoing: readonly Outgoing[],
    urgent: boolean,
  ): Promise<readonly Acknowledged[]> {
    const topic = await this.#topics.get(topicName);
    const records = outgoing.map((record) => this.#ready(topic, record));
    const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
    await this.#inFlight.acquire(records.length, bytes, urgent);
    try {
      return await this.#write(slicesOf(records, TRANSACTION), urgent);
    } finally {
      this.#inFlight.release(records.length, bytes);
    }
  }

  #ready(topic: Topic, outgoing: Outgoing): Ready {
    const number = this.#partitioner.partitionOf(outgoing, topic.partitions.length);
    const partition = topic.partitions[number];
    if (partition === undefined) throw misused(`${topic.name} has no partition ${number}`);
    const value = ownBytes(outgoing.value);
    return {
      partition,
      key: outgoing.key?.toWellFormed() ?? null,
      headers: outgoing.headers ?? null,
      value,
      bytes: value.byteLength,
      written: outgoing.written,
    };
  }

  async #write(all: readonly Slice<Ready>[], urgent: boolean): Promise<readonly Acknowledged[]> {
    // The error of the first failed slice. Later slices must not be written then. Otherwise a retry of the caller
    // would change the order of the records.
    let failure: unknown;
    const written = all.map(({ records, bytes }) =>
      this.#writer
        .submit(
          (announce) => {
            if (failure !== undefined)
              throw unavailable('an earlier part of the append failed', { cause: failure });
            return this.#insert(records, announce);
          },
          { records: records.length, bytes, urgent },
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
    return records.map(({ partition, key, headers, value, written }) => {
      const { offset, appendedAtMs } = this.#heads.take(partition.id);
      const position = { topic: partition.topic, partition: partition.partition, offset };
      partition.insert.run(offset, appendedAtMs, key, headers && JSON.stringify(headers), value);
      const record = { position, key, value, headers: { ...headers }, appendedAtMs };
      this.#tail.stage(partition.id, written === undefined ? record : { ...record, written });
      announce(partitionChanged(partition.id));
      return { position, appendedAtMs };
    });
  }
}

/** Copies the value, because readers share the stored bytes and the caller may change its own bytes later. */
function ownBytes(value: string | Uint8Array): Uint8Array {
  if (typeof value !== 'string') return new Uint8Array(value);
  const { buffer, byteOffset, byteLength } = Buffer.from(value);
  return new Uint8Array(buffer, byteOffset, byteLength);
}
