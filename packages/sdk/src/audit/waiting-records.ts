/**
 * The records that wait for one output, oldest first: in memory, and in a file after the memory was full. The order
 * never changes. While the file contains records, later ones go to the file too.
 */

import type { OnError } from '../types.ts';
import type { AuditRecord } from './audit-output.ts';
import { SpillFile } from './spill-file.ts';

export type WaitingBounds = {
  /** The maximum number of records that wait in memory. */
  maxRecords: number;
  /** The maximum number of bytes that wait in memory, as JSON. */
  maxBytes: number;
  /** The largest spill file, in bytes. */
  maxSpillBytes: number;
};

export type Batch = { records: readonly AuditRecord[]; lines: readonly string[]; from: 'memory' | 'file' };

type Setup = {
  spillPath: string | null;
  bounds: WaitingBounds;
  onError: OnError;
  /** Called if waiting records are lost. */
  onLost: (count: number, reason: string) => void;
};

const BATCH = { records: 500, bytes: 1_000_000 };

/** The number of characters of the JSON is used as the number of bytes. This is nearly right, and takes no time. */
type Entry = { record: AuditRecord; line: string };

export class WaitingRecords {
  readonly #setup: Setup;
  readonly #spill: SpillFile | null;
  readonly #memory: Entry[] = [];
  #memoryBytes = 0;
  /** The lines that are moving from memory to the file: first those that are being written, then the others. */
  #writing: readonly string[] = [];
  #toWrite: string[] = [];
  #unwrittenBytes = 0;
  #appending: Promise<void> | null = null;
  #isSpilling: boolean;
  #isClosed = false;

  /** @throws MandateError ALREADY_HELD */
  constructor(setup: Setup) {
    this.#setup = setup;
    this.#spill = setup.spillPath === null ? null : new SpillFile(setup.spillPath);
    this.#isSpilling = this.spilled > 0;
    if (this.#spill?.wasTorn) setup.onLost(1, 'the process died while it wrote to the spill file');
  }

  get inMemory(): number {
    return this.#memory.length + this.#writing.length + this.#toWrite.length;
  }

  get spilled(): number {
    return this.#spill?.count ?? 0;
  }

  /** @returns why the record cannot wait, or null */
  add(record: AuditRecord, line: string): string | null {
    const { maxRecords, maxBytes, maxSpillBytes } = this.#setup.bounds;
    const { length } = line;
    const hasRoom = this.#memory.length < maxRecords && this.#memoryBytes + length <= maxBytes;
    if (!this.#isSpilling && hasRoom) {
      this.#memory.push({ record, line });
      this.#memoryBytes += length;
      return null;
    }
    if (this.#spill === null) return 'too many records wait in memory, and there is no spill folder';
    if (this.#spill.bytes + this.#unwrittenBytes + length > maxSpillBytes) return 'the spill file is full';
    if (this.#unwrittenBytes + length > maxBytes) return 'the disk of the spill file is too slow';
    this.#isSpilling = true;
    this.#toWrite.push(line);
    this.#unwrittenBytes += length;
    this.#appending ??= this.#append(this.#spill);
    return null;
  }

  /** Returns the oldest records without removing them. Null if no record waits. */
  async oldest(): Promise<Batch | null> {
    if (this.#memory.length > 0) return oldestOf(this.#memory);
    while (this.#isSpilling && this.#spill !== null) {
      const lines = await this.#spill.oldest(BATCH.records, BATCH.bytes);
      // The descriptor of a closed file may belong to another file by now.
      if (this.#isClosed) return null;
      const records = recordsOf(lines);
      if (records.length > 0) return { records, lines: lines.slice(0, records.length), from: 'file' };
      if (lines.length > 0) {
        this.#spill.remove(lines.slice(0, 1));
        this.#setup.onLost(1, 'a line of the spill file is damaged');
        continue;
      }
      if (this.#appending === null) {
        this.#spill.clearIfSent();
        this.#isSpilling = false;
      }
      await this.#appending;
    }
    return null;
  }

  /** Removes a batch of `oldest`. */
  remove({ lines, from }: Batch): void {
    if (from === 'file') {
      this.#spill?.remove(lines);
    } else {
      this.#memory.splice(0, lines.length);
      this.#memoryBytes -= bytesOf(lines);
    }
  }

  /** Resolves when no line is moving to the file. */
  async settled(): Promise<void> {
    while (this.#appending !== null) await this.#appending;
  }

  /** Stores the records that wait, and ends. Records that cannot be stored are lost. */
  close(): void {
    const { onError, onLost } = this.#setup;
    this.#isClosed = true;
    this.#isSpilling = false;
    const first = this.#memory.splice(0).map(({ line }) => line);
    const last = [...this.#writing, ...this.#toWrite.splice(0)];
    this.#writing = [];
    if (this.#spill === null) {
      if (first.length > 0) onLost(first.length, 'the audit ended before they were written');
      return;
    }
    try {
      this.#spill.closeWith({ first, last });
    } catch (error) {
      onError(error);
      onLost(first.length + last.length, 'the spill file could not be written');
    }
  }

  async #append(spill: SpillFile): Promise<void> {
    // Waits for the end of this turn of the event loop, so that records of one turn are written together.
    await null;
    while (this.#toWrite.length > 0) {
      this.#writing = this.#toWrite.splice(0);
      try {
        await spill.append(this.#writing);
      } catch (error) {
        // `close` stores the lines itself, and its failure is reported there.
        if (this.#writing.length > 0) {
          this.#setup.onError(error);
          this.#setup.onLost(this.#writing.length, 'the spill file could not be written');
        }
      }
      this.#unwrittenBytes -= bytesOf(this.#writing);
      this.#writing = [];
    }
    this.#appending = null;
  }
}

/** Returns the records of the lines before the first line that is damaged. */
function recordsOf(lines: readonly string[]): AuditRecord[] {
  const records: AuditRecord[] = [];
  try {
    for (const line of lines) records.push(JSON.parse(line) as AuditRecord);
  } catch {}
  return records;
}

function oldestOf(memory: readonly Entry[]): Batch {
  let [count, bytes] = [0, 0];
  for (const { line } of memory) {
    bytes += line.length;
    if (count > 0 && (count >= BATCH.records || bytes > BATCH.bytes)) break;
    count += 1;
  }
  const entries = memory.slice(0, count);
  return {
    records: entries.map(({ record }) => record),
    lines: entries.map(({ line }) => line),
    from: 'memory',
  };
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}
