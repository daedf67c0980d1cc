import { once } from 'node:events';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { createServer, type ListenOptions, type Server as SocketServer } from 'node:net';

/**
 * An HTTP server with several listening sockets on one port. Node accepts one connection from each listening socket
 * in a turn of the event loop. With one socket, a plane with turns of 37 ms accepted 27 connections a second, and an
 * operator's kill waited for 2,300 others.
 */
export class SharedPortServer<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
> extends Server<Request, Response> {
  readonly #others: SocketServer[] = [];

  /** @param options with `reusePort`, and the port on which the server already listens */
  async addListeningSocket(options: ListenOptions): Promise<void> {
    // Uses the same options as Node uses for the socket of an HTTP server.
    const other = createServer({ allowHalfOpen: true, noDelay: true });
    other.on('connection', (socket) => this.emit('connection', socket));
    other.listen(options);
    await once(other, 'listening');
    this.#others.push(other);
  }

  override close(callback?: (error?: Error) => void): this {
    const closed = this.#others.map((other) => new Promise<void>((resolve) => other.close(() => resolve())));
    this.#others.length = 0;
    return super.close((error) => {
      Promise.all(closed).then(() => callback?.(error));
    });
  }
}
