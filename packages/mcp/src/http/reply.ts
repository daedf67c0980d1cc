/**
 * The answer to one POST of a client. It is one JSON document. If the proxy must send something before the answer, it
 * is a stream of events.
 */
import type { ServerResponse } from 'node:http';

export class Reply {
  readonly #response: ServerResponse;
  readonly #takesEvents: boolean;

  constructor(response: ServerResponse, accept: string | undefined) {
    this.#response = response;
    this.#takesEvents = (accept ?? '').includes('text/event-stream');
  }

  /** True if the answer has already become a stream of events. */
  get isStream(): boolean {
    return this.#response.headersSent;
  }

  /** Sends a frame before the answer. Does nothing if the client does not accept events. */
  send(frame: string): void {
    if (!this.#takesEvents || this.#response.writableEnded) return;
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.#response.write(eventOf(frame));
  }

  /** Ends the answer with this frame. */
  end(frame: string, status = 200): void {
    if (this.#response.writableEnded) return;
    if (this.#response.headersSent) {
      this.#response.end(eventOf(frame));
      return;
    }
    const body = Buffer.from(frame);
    this.#response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    this.#response.end(body);
  }
}

export function eventOf(frame: string): string {
  return `event: message\ndata: ${frame.replace(/[\r\n]+/g, ' ')}\n\n`;
}
