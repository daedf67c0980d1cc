/** Writes the events of a stream one by one, and counts those that were written. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol, StreamEvent } from './protocol.ts';
import type { ModelReply, ReceivedRequest } from './reply.ts';

export async function sendEvents(
  response: ServerResponse,
  events: readonly StreamEvent[],
  { eventDelayMs = 0, fault, pieceBytes }: ModelReply,
  { errorEvent }: Protocol,
  received: ReceivedRequest,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  received.status = 200;
  response.flushHeaders();
  for (const event of events) {
    if (fault !== undefined && received.eventsSent >= fault.afterEvents) {
      if (fault.kind === 'hang') return;
      if (fault.kind === 'error' && errorEvent !== undefined) {
        response.end(bytesOf(errorEvent));
        return;
      }
      // The client must have the events that were written before the connection is cut.
      await sleep(20);
      received.state = 'cut';
      response.destroy();
      return;
    }
    if (received.eventsSent > 0) await sleep(eventDelayMs);
    if (response.destroyed) return;
    await write(response, bytesOf(event), pieceBytes);
    received.eventsSent += 1;
  }
  response.end();
}

function bytesOf({ event, data }: StreamEvent): Buffer {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return Buffer.from(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}

/** Writes the bytes, and waits until the client takes more. */
async function write(response: ServerResponse, bytes: Buffer, pieceBytes = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const takesMore = response.write(bytes.subarray(at, at + pieceBytes));
    if (!takesMore && !response.destroyed) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    // Each piece gets a packet of its own.
    if (pieceBytes < bytes.length) await sleep(1);
  }
}
