/**
 * Keeps records on disk until an output accepts them: a file of lines, oldest first. A second file, with the suffix
 * `.sent`, contains the number of bytes that the output has accepted. So after a restart the rest is sent, in order.
 *
 * The order of all writes is such that nothing is lost. After a crash in the middle, a batch may be sent twice. Its
 * records have ids, so a reader can leave out the repeats.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  read,
  readSync,
  renameSync,
  write,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { holdExclusively, isMandateError, MandateError } from '@mandate/runtime';

const readAt = promisify(read);
const writeAt = promisify(write);

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;
/** The digits of the number in the second file. Its length never changes, so one write replaces it. */
const SENT_DIGITS = 16;

export class SpillFile {
  readonly #path: string;
  #file: number;
  readonly #sentFile: number;
  readonly #lock: { release(): void };
  /** The position up to which the output has accepted the lines. */
  #sent: number;
  #end: number;
  #count: number;
  /** True if the last line was cut by a crash. Such a line is removed. */
  readonly wasTorn: boolean;

  /** @throws MandateError ALREADY_HELD if another process uses the file */
  constructor(path: string) {
    this.#path = path;
    this.#lock = hold(path);
    const make = constants.O_RDWR | constants.O_CREAT;
    this.#file = openSync(path, make, 0o600);
    this.#sentFile = openSync(`${path}.sent`, make, 0o600);
    const { size } = fstatSync(this.#file);
    this.#sent = sentIn(this.#sentFile, size);
    const { count, end } = countLines(this.#file, this.#sent);
    this.wasTorn = end < size;
    if (this.wasTorn) ftruncateSync(this.#file, end);
    this.#count = count;
    this.#end = end;
  }

  /** The number of records that wait here. */
  get count(): number {
    return this.#count;
  }

  /** The size of the file, including the part that is already sent. */
  get bytes(): number {
    return this.#end;
  }

  async append(lines: readonly string[]): Promise<void> {
    const bytes = textOf(lines);
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await writeAt(this.#file, bytes, done, bytes.length - done, this.#end + done);
      done += bytesWritten;
    }
    this.#end += bytes.length;
    this.#count += lines.length;
  }

  /** Reads the oldest lines without removing them: at least one if there is one, and about `maxBytes` at most. */
  async oldest(maxRecords: number, maxBytes: number): Promise<string[]> {
    for (let size = maxBytes; ; size *= 2) {
      const length = Math.min(size, this.#end - this.#sent);
      const { bytesRead, buffer } = await readAt(this.#file, Buffer.alloc(length), 0, length, this.#sent);
      const text = buffer.subarray(0, bytesRead);
      const end = text.lastIndexOf(NEWLINE);
      if (end === -1 && length < this.#end - this.#sent) continue;
      return end <= 0 ? [] : text.subarray(0, end).toString().split('\n').slice(0, maxRecords);
    }
  }

  /** Removes the oldest lines, which the output has accepted. */
  remove(lines: readonly string[]): void {
    const sent = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, this.#sent);
    // The text of a damaged line may have more bytes than the line.
    this.#setSent(Math.min(sent, this.#end));
    this.#count -= lines.length;
  }

  /** Removes the sent part of the file. Call it only while nothing is appended. */
  clearIfSent(): void {
    if (this.#sent < this.#end || this.#end === 0) return;
    // The number is written first. If the process dies in between, everything is sent again, and nothing is skipped.
    this.#setSent(0);
    ftruncateSync(this.#file, 0);
    this.#end = 0;
  }

  /**
   * Ends, and stores lines before and after all others. Works without waiting, because a process that exits cannot
   * wait. If an `append` is still running, `last` must begin with its lines.
   */
  closeWith({ first, last }: { first: readonly string[]; last: readonly string[] }): void {
    try {
      if (first.length > 0) this.#putFirst(first);
      if (last.length > 0) writeAll(this.#file, textOf(last), this.#end);
      this.#count += first.length + last.length;
    } finally {
      for (const file of [this.#file, this.#sentFile]) closeSync(file);
      this.#lock.release();
    }
  }

  #putFirst(lines: readonly string[]): void {
    const path = `${this.#path}.new`;
    const made = openSync(path, 'w', 0o600);
    const text = textOf(lines);
    let written = writeAll(made, text, 0);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = this.#sent; at < this.#end; ) {
      const bytesRead = readSync(this.#file, chunk, 0, Math.min(chunk.length, this.#end - at), at);
      if (bytesRead === 0) break;
      written += writeAll(made, chunk.subarray(0, bytesRead), written);
      at += bytesRead;
    }
    fsyncSync(made);
    this.#end += text.length - this.#sent;
    // The number is written first. If the process dies in between, some records are sent again, and none is skipped.
    this.#setSent(0);
    renameSync(path, this.#path);
    closeSync(this.#file);
    this.#file = made;
  }

  #setSent(sent: number): void {
    writeSync(this.#sentFile, String(sent).padStart(SENT_DIGITS, '0'), 0);
    this.#sent = sent;
  }
}

function hold(path: string): { release(): void } {
  try {
    return holdExclusively(`${path}.lock`, `the spill file ${path}`);
  } catch (cause) {
    if (!isMandateError(cause, 'ALREADY_HELD')) throw cause;
    const remedy = 'Give each process, and each instance with an audit, its own `spillFolder`.';
    throw new MandateError('ALREADY_HELD', cause.message, { remedy, cause });
  }
}

/** Writes all bytes, because one call may write only a part of them. Returns the number of bytes. */
function writeAll(file: number, bytes: Uint8Array, at: number): number {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  return bytes.length;
}

function textOf(lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Returns 0 if the number is missing or cannot be right. Then everything is sent again. */
function sentIn(file: number, size: number): number {
  const digits = Buffer.alloc(SENT_DIGITS);
  readSync(file, digits, 0, SENT_DIGITS, 0);
  const sent = Number(digits.toString());
  return Number.isSafeInteger(sent) && sent <= size ? sent : 0;
}

/** @returns the number of whole lines, and the position after the last of them */
function countLines(file: number, from: number): { count: number; end: number } {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let [count, end, at] = [0, from, from];
  for (;;) {
    const bytesRead = readSync(file, chunk, 0, chunk.length, at);
    if (bytesRead === 0) return { count, end };
    for (let found = chunk.indexOf(NEWLINE); found !== -1 && found < bytesRead; ) {
      count += 1;
      end = at + found + 1;
      found = chunk.indexOf(NEWLINE, found + 1);
    }
    at += bytesRead;
  }
}
