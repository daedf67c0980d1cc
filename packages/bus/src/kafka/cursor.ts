import { BATCH_BYTES } from '../batch-bytes.ts';
import { unreadable } from '../errors.ts';
import { nextOffset } from '../next-offset.ts';
import type { LogPosition, LogRecord, UnreadableBatch } from '../port.ts';
import type { Arrived } from './to-records.ts';

/** The fetches of a partition pause while this many records wait for their handler. */
const ENOUGH_RECORDS = 2_000;
const ENOUGH_BYTES = 2 * 1024 * 1024;

/** The reading state of one partition: the fetched records that are not yet handled, and the offset to fetch next. */
export class Cursor {
  readonly topic: string;
  readonly partition: number;
  /** The next offset to fetch. */
  fetchOffset: number;
  /** The offset that the next appended record will get. The value comes from the last fetch. */
  endOffset = 0;
  #records: LogRecord[] = [];
  #bytes = 0;
  #failure: { error: unknown } | undefined;
  readonly #onChange: () => void;
  #changed = Promise.withResolvers<void>();

  /** @param onChange called after new records, a failure, or when the cursor can take more records. */
  constructor(start: { topic: string; partition: number; offset: number }, onChange: () => void) {
    this.topic = start.topic;
    this.partition = start.partition;
    this.fetchOffset = start.offset;
    this.#onChange = onChange;
  }

  get name(): string {
    return `${this.topic}/${this.partition}`;
  }

  /**
   * The first offset that is not handled. It may belong to a record, or to a transaction entry that readers never
   * get.
   */
  get position(): number {
    return this.#records[0]?.position.offset ?? this.fetchOffset;
  }

  get hasRoom(): boolean {
    return this.#records.length < ENOUGH_RECORDS && this.#bytes < ENOUGH_BYTES;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Returns consecutive records from the position on, and does not move the position. Throws the partition's failure
   * after its last record. If the next batch is unreadable, throws unless the caller accepts unreadable batches.
   */
  peek(most: number, { takesUnreadable = false } = {}): readonly LogRecord[] {
    if (this.#records.length === 0 && this.#failure !== undefined) throw this.#failure.error;
    const records: LogRecord[] = [];
    let next = this.position;
    let bytes = 0;
    for (const record of this.#records) {
      if (records.length === most || bytes >= BATCH_BYTES || record.position.offset !== next) break;
      if (record.unreadable !== undefined && !takesUnreadable) {
        if (records.length === 0) throw asError(record.position, record.unreadable);
        break;
      }
      records.push(record);
      bytes += record.value.byteLength;
      next = nextOffset(record);
    }
    return records;
  }

  /** Marks all records before the offset as handled. */
  moveTo(offset: number): void {
    const rest = this.#records.findIndex((record) => record.position.offset >= offset);
    const done = this.#records.splice(0, rest === -1 ? this.#records.length : rest);
    this.#bytes -= bytesOf(done);
    this.#change();
  }

  arrive(arrived: Arrived, endOffset: number): void {
    this.fetchOffset = arrived.nextOffset;
    this.endOffset = Math.max(this.endOffset, endOffset);
    for (const record of arrived.records) this.#records.push(record);
    this.#bytes += bytesOf(arrived.records);
    this.#change();
  }

  /** Stores a failure. The records before the failure are still handed over, and after them `peek` throws. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#change();
  }

  /** Resolves at the next change. */
  changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Wakes the callers that wait for a change, so that they check again. */
  wake(): void {
    this.#change();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.#onChange();
  }
}

function asError(position: LogPosition, { reason }: UnreadableBatch): Error {
  return unreadable({ ...position, cause: new Error(reason) });
}

function bytesOf(records: readonly LogRecord[]): number {
  return records.reduce((sum, { value }) => sum + value.byteLength, 0);
}
