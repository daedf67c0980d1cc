import { misused, unavailable } from '../errors.ts';
import type { InFlight } from '../in-flight.ts';
import { Partitioner } from '../partitioner.ts';
import { Pending } from '../pending.ts';
import type { Acknowledged, AppendOptions, Outgoing } from '../port.ts';
import { slicesOf } from '../slices.ts';
import type { WireMessage } from './client.ts';
import { PartitionQueue, REQUEST } from './partition-queue.ts';
import { produce, type Sending } from './produce.ts';
import type { Topics } from './topics.ts';

/** A record that is ready to be sent. `at` is its index in the append. */
type Ready = { at: number; partition: number; message: WireMessage; bytes: number };

/** One append. After `failure` is set, no further part of the append is sent. */
type Attempt = { failure: unknown; urgent: boolean };

/** The maximum number of bytes of a record in a request, in addition to its key, value and headers. */
const RECORD_OVERHEAD_BYTES = 64;

/**
 * Appends without Kafka's idempotent producer and without transactions. In kafkajs, the idempotent producer can lose
 * a record after a lost acknowledgement, and transactions do not fence old members
 * (docs/adr/0007-the-bus-uses-the-protocol-of-kafkajs-not-its-consumer.md). Instead, each partition has one request
 * in flight, and a failed request is sent again if it may succeed. So the log may contain a record twice, but never
 * lacks an acknowledged record.
 */
export class Appender {
  readonly #parts: { topics: Topics; inFlight: InFlight };
  readonly #sending: Sending;
  readonly #queues = new Map<string, PartitionQueue>();
  readonly #partitioner = new Partitioner();
  readonly #pending = new Pending();

  constructor(parts: { topics: Topics; inFlight: InFlight }, sending: Sending) {
    this.#parts = parts;
    this.#sending = sending;
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

  /**
   * The time limit applies to all requests of the append and their waiting. It does not apply to the wait for
   * `inFlight`.
   */
  async #append(
    topic: string,
    outgoing: readonly Outgoing[],
    urgent: boolean,
  ): Promise<readonly Acknowledged[]> {
    const { topics, inFlight } = this.#parts;
    const partitions = await topics.partitionsOf(topic);
    const records = outgoing.map((record, at) => this.#ready(topic, partitions, record, at));
    const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
    await inFlight.acquire(records.length, bytes, urgent);
    const late = Promise.withResolvers<never>();
    const attempt: Attempt = { failure: undefined, urgent };
    const timer = setTimeout(() => {
      attempt.failure ??= unavailable(`not acknowledged within ${this.#sending.withinMs} ms`);
      late.reject(attempt.failure);
    }, this.#sending.withinMs);
    const written = this.#write(topic, records, attempt).finally(() => {
      clearTimeout(timer);
      inFlight.release(records.length, bytes);
    });
    // The caller may have stopped waiting. Without this handler, a late failure would be an unhandled rejection.
    written.catch(() => {});
    return Promise.race([written, late.promise]);
  }

  #ready(topic: string, partitions: readonly number[], outgoing: Outgoing, at: number): Ready {
    const { key, value, headers = {} } = outgoing;
    const partition = this.#partitioner.partitionOf(outgoing, partitions.length);
    if (!partitions.includes(partition)) throw misused(`${topic} has no partition ${partition}`);
    const message = {
      key: key === null ? null : Buffer.from(key),
      value: asBuffer(value),
      headers: { ...headers },
    };
    const headerBytes = Object.entries(headers).reduce(
      (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + 10,
      0,
    );
    const bytes = (message.key?.length ?? 0) + message.value.length + headerBytes + RECORD_OVERHEAD_BYTES;
    return { at, partition, message, bytes };
  }

  async #write(topic: string, records: readonly Ready[], attempt: Attempt): Promise<readonly Acknowledged[]> {
    const acknowledged = new Array<Acknowledged>(records.length);
    const write = async (partition: number, mine: readonly Ready[]) => {
      const queue = this.#queue(topic, partition);
      // After a slice failed, later slices must not be written. Otherwise a retry of the caller would change the
      // order of the records.
      const slices = slicesOf(mine, REQUEST).map(({ records, bytes }) =>
        queue.submit(
          { messages: records.map(({ message }) => message), bytes },
          () => attempt.failure,
          attempt.urgent,
        ),
      );
      const acks = await Promise.all(
        slices.map((slice) =>
          slice.catch((error) => {
            attempt.failure ??= error;
            throw error;
          }),
        ),
      );
      for (const [i, ack] of acks.flat().entries()) acknowledged[mine[i]?.at ?? 0] = ack;
    };
    const byPartition = Map.groupBy(records, ({ partition }) => partition);
    // The append ends after all its parts have ended. So no part is written after the caller learns of a failure.
    await Promise.allSettled([...byPartition].map(([partition, mine]) => write(partition, mine)));
    if (attempt.failure !== undefined) throw attempt.failure;
    return acknowledged;
  }

  #queue(topic: string, partition: number): PartitionQueue {
    const name = `${topic}/${partition}`;
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const to = { topic, partition };
    const queue = new PartitionQueue(to, (messages) => produce(this.#sending, to, messages));
    this.#queues.set(name, queue);
    return queue;
  }
}

function asBuffer(value: string | Uint8Array): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
