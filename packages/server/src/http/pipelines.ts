/**
 * Limits the requests of one connection that are not answered yet. A client may send requests without waiting for
 * answers (pipelining), and Node reads all of them into memory. At the limit, the server stops reading the
 * connection. The client keeps further requests until earlier ones are answered.
 */
import type { Socket } from 'node:net';

/**
 * The number of unanswered requests at which a connection is no longer read. The chunk of 64 KiB that was read last may
 * contain more requests: some large ones, or about a thousand without a body.
 */
const MOST_UNANSWERED = 16;

export class Pipelines {
  readonly #unanswered = new WeakMap<Socket, number>();

  enter(socket: Socket): void {
    this.#unanswered.set(socket, 0);
    // Node resumes the connection when the body of a request is read. This event comes later. If the connection was
    // paused again in between, another `pause` would not emit an event for Node, so the event is emitted here.
    socket.on('resume', () => {
      if (!this.#isFull(socket)) return;
      if (socket.isPaused()) socket.emit('pause');
      else socket.pause();
    });
  }

  began(socket: Socket): void {
    this.#add(socket, 1);
    if (this.#isFull(socket)) socket.pause();
  }

  ended(socket: Socket): void {
    const wasFull = this.#isFull(socket);
    this.#add(socket, -1);
    if (wasFull && !this.#isFull(socket)) socket.resume();
  }

  #isFull(socket: Socket): boolean {
    return (this.#unanswered.get(socket) ?? 0) >= MOST_UNANSWERED;
  }

  #add(socket: Socket, more: number): void {
    this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 0) + more);
  }
}
