/** Answers of streamable HTTP that stay open: each message is one event. */
import type { ServerResponse } from 'node:http';
import type { Frame } from './frame.ts';

export type EventStream = { send(frame: Frame): void; end(): void; isOpen(): boolean };

/** Opens the stream with the first message, or at once if `headers` is to arrive before any message. */
export function eventStream(response: ServerResponse, headers: Record<string, string> = {}): EventStream {
  const open = () => {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    response.flushHeaders();
  };
  return {
    send(frame) {
      open();
      response.write(`event: message\ndata: ${JSON.stringify(frame)}\n\n`);
    },
    end() {
      open();
      response.end();
    },
    isOpen: () => !response.writableEnded && !response.destroyed,
  };
}
