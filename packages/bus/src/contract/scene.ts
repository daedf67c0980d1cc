import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type {
  Batch,
  Bus,
  Consumer,
  ConsumerOptions,
  LogRecord,
  Outgoing,
  Reader,
  ReaderOptions,
} from '../port.ts';

export type Harness = {
  bus: Bus;
  /** Returns a second client of the same log. It behaves like a second process. */
  another(): Promise<Bus>;
  /** Deletes all current records of the topic from the log, as retention would. */
  expire(topic: string): Promise<void>;
  dispose(): Promise<void>;
};

/** The parts that one test uses: a log, its own topics and groups, and helper functions. */
export class Scene {
  readonly patienceMs: number;
  #harness: Harness | undefined;
  #topic = '';

  constructor(patienceMs: number) {
    this.patienceMs = patienceMs;
  }

  async begin(harness: Harness): Promise<void> {
    this.#harness = harness;
    this.#topic = `contract.${randomUUID()}`;
  }

  async end(): Promise<void> {
    await this.#harness?.dispose();
    this.#harness = undefined;
  }

  get harness(): Harness {
    if (this.#harness === undefined) throw new Error('no test is running');
    return this.#harness;
  }

  get bus(): Bus {
    return this.harness.bus;
  }

  get topic(): string {
    return this.#topic;
  }

  another(): Promise<Bus> {
    return this.harness.another();
  }

  async partitions(): Promise<number> {
    return (await this.bus.ranges(this.topic)).length;
  }

  /** Appends values with their keys, for example `['key', 'value']`. */
  append(...records: (readonly [key: string | null, value: string])[]) {
    return this.bus.append(
      this.topic,
      records.map(([key, value]) => ({ key, value })),
    );
  }

  /** Appends one record to each partition, so that every partition has something to hand out. */
  async fillEveryPartition(value: string): Promise<number> {
    const count = await this.partitions();
    const records: Outgoing[] = Array.from({ length: count }, (_, partition) => ({
      key: null,
      value,
      partition,
    }));
    await this.bus.append(this.topic, records);
    return count;
  }

  /** Opens a consumer of the scene's topic that starts at the earliest record. `fields` replace the defaults. */
  consume(
    group: string,
    onBatch: (batch: Batch) => Promise<void>,
    fields: Partial<ConsumerOptions> = {},
    bus = this.bus,
  ) {
    return bus.consume({
      group: `${this.topic}.${group}`,
      topics: [this.topic],
      from: 'earliest',
      onBatch,
      ...fields,
    });
  }

  read(
    onRecords: ReaderOptions['onRecords'],
    fields: Partial<ReaderOptions> = {},
    bus = this.bus,
  ): Promise<Reader> {
    return bus.read({ topics: [this.topic], from: 'earliest', onRecords, ...fields });
  }

  /** Returns all records of the topic, partition by partition. */
  async everything(bus = this.bus): Promise<LogRecord[]> {
    const seen: LogRecord[] = [];
    const reader = await this.read((records) => void seen.push(...records), {}, bus);
    await reader.caughtUp;
    await reader.stop();
    return seen;
  }

  /** Repeats `claim` until it throws no error. */
  until(claim: () => void | Promise<void>): Promise<void> {
    return vi.waitFor(claim, { timeout: this.patienceMs, interval: 3 });
  }

  async untilNoLag(consumer: Consumer): Promise<void> {
    await this.until(async () => expect((await consumer.lag()).every(({ lag }) => lag === 0)).toBe(true));
  }
}

export function text(record: Pick<LogRecord, 'value'>): string {
  return Buffer.from(record.value).toString();
}

/**
 * Returns the offset after the last record of the batch. A handler commits this offset if it has handled the whole
 * batch.
 */
export function afterLast(batch: Batch): number {
  return (batch.records[0]?.position.offset ?? 0) + batch.records.length;
}

/** Asserts that the attempt fails with this stable code, and that the error has a remedy. */
export async function expectFailure(attempt: Promise<unknown>, code: string): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ code, remedy: expect.stringMatching(/./) });
}

/** Returns a gate. A handler waits for `opened` until the test calls `open`. */
export function gate(): { open: () => void; opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}
