/**
 * Ends connections of callers that do not read their answers. The more a caller has read, the longer its unread bytes
 * may wait. A stream without unread bytes stays open.
 */
import type { Socket } from 'node:net';
import type { CountCut } from './count-cuts.ts';
import type { HttpLimits } from './http-limits.ts';

type Reading = { waitedMs: number; takenBefore: number };

export class SlowReaders {
  readonly #limits: HttpLimits;
  /** The connections with unread bytes. */
  readonly #reading = new WeakMap<Socket, Reading>();
  readonly #count: CountCut;
  #lookedMs = performance.now();

  constructor(limits: HttpLimits, count: CountCut) {
    this.#limits = limits;
    this.#count = count;
  }

  look(sockets: Iterable<Socket>): void {
    const nowMs = performance.now();
    const passedMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    for (const socket of sockets) {
      if (socket.writableLength === 0) this.#reading.delete(socket);
      else if (!this.#isPatientWith(socket, passedMs)) {
        this.#count('slow reader');
        socket.destroy();
      }
    }
  }

  /**
   * True if the server still waits for this socket to be read. Bytes that were not read yet also count as read here,
   * because a large answer is written at once and needs time.
   */
  #isPatientWith(socket: Socket, passedMs: number): boolean {
    const { unreadMs, readBytesPerSecond } = this.#limits;
    const reading = this.#reading.get(socket);
    if (reading === undefined) {
      this.#reading.set(socket, { waitedMs: 0, takenBefore: takenOf(socket) });
      return true;
    }
    reading.waitedMs += passedMs;
    const bytes = takenOf(socket) - reading.takenBefore + socket.writableLength;
    return reading.waitedMs <= unreadMs + (bytes / readBytesPerSecond) * 1_000;
  }
}

/** Returns the number of bytes that the operating system has accepted. */
function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
