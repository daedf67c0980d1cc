/**
 * Passes the answer of an upstream on to the client, piece by piece, and settles the call. If the client leaves a
 * stream, the stream is cancelled at once. Any other answer is read to its end, because the provider bills it whole.
 */
import type { IncomingMessage } from 'node:http';
import type { AnswerWatcher, StreamEnd } from '@mandate/sdk/proxy';
import type { Client } from './client-of-reply.ts';
import { wholeEvents } from './whole-events.ts';

export type Relayed = {
  answer: IncomingMessage;
  isEvents: boolean;
  watcher: AnswerWatcher;
  client: Client;
  /** Aborts when the call must stop: after a kill, at the end of its lease, or when the gateway stops. */
  stop: AbortSignal;
  /** Returns the last event of a stopped stream. */
  stoppedEvent: () => string;
  /** How long the upstream may pause between two pieces. */
  idleMs: number;
};

/** Resolves when the call is settled, and the client has the end of the answer. Never rejects. */
export async function relayAnswer(relayed: Relayed): Promise<StreamEnd> {
  const { answer, isEvents, watcher, client, stop, stoppedEvent } = relayed;
  const events = isEvents ? wholeEvents() : null;
  const end = await read(relayed, async (piece) => {
    const bytes = await watcher.take(piece);
    if (!client.left.aborted) await client.send(events?.take(bytes) ?? bytes);
  });
  answer.destroy();
  await watcher.end(end);
  if (end === 'finished') client.end(events?.rest());
  else if (stop.aborted && isEvents) client.end(stoppedEvent());
  else client.cut();
  return end;
}

async function read(
  { answer, isEvents, client, stop, idleMs }: Relayed,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<StreamEnd> {
  const cancel = () => void answer.destroy();
  const timer = setTimeout(cancel, idleMs);
  const hasLeft = () => isEvents && client.left.aborted;
  if (isEvents) client.left.addEventListener('abort', cancel, { once: true });
  try {
    if (hasLeft()) return 'left';
    for await (const piece of answer) {
      timer.refresh();
      await take(piece);
      if (stop.aborted) return 'broken';
      if (hasLeft()) return 'left';
    }
    return 'finished';
  } catch {
    return hasLeft() && !stop.aborted ? 'left' : 'broken';
  } finally {
    clearTimeout(timer);
    client.left.removeEventListener('abort', cancel);
  }
}
