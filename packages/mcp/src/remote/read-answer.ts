/** Reads the messages in an answer of a server over HTTP: one document, or a stream of events. */
import type { IncomingMessage } from 'node:http';
import type { Bodies } from '../http/read-body.ts';
import { EventSplitter, type SseEvent } from '../http/split-events.ts';
import { type Message, readMessage } from '../messages/read-message.ts';
import { decoded } from '../messages/split-lines.ts';

/** Where a stream can be continued after it broke. */
export type StreamPlace = {
  /** The id of the last event. Null: the server has sent none, so the stream cannot be continued. */
  eventId: string | null;
  /** How long the server wants a client to wait. Null: the server has not stated it. */
  retryMs: number | null;
};

type Reading = {
  bodies: Bodies;
  mostBytes: number;
  each(message: Exclude<Message, { kind: 'invalid' }>): void | Promise<void>;
  warn(text: string): void;
};

const MOST_EVENT_ID_UNITS = 4_096;

export function isEventStream({ headers }: IncomingMessage): boolean {
  return typeOf(headers['content-type']) === 'text/event-stream';
}

/**
 * Reads the whole answer.
 *
 * @param place is changed while a stream is read
 * @throws if the answer cannot be read, or breaks
 */
export async function readAnswer(
  answer: IncomingMessage,
  reading: Reading,
  place: StreamPlace,
): Promise<void> {
  const { 'content-encoding': encoding = 'identity', 'content-type': type } = answer.headers;
  if (encoding !== 'identity') throw new Error(`The server compressed its answer (${encoding}).`);
  if (isEventStream(answer)) return readEvents(answer, reading, place);
  const { bodies, each } = reading;
  const isJson = typeOf(type) === 'application/json';
  await bodies.read(answer, async (body) => {
    if (body.length === 0) return;
    if (!isJson) throw new Error(`The server answered with the type "${typeOf(type)}".`);
    const text = decoded(body);
    const message = text === null ? null : readMessage(text);
    if (message === null || message.kind === 'invalid')
      throw new Error('The answer of the server is no single message.');
    await each(message);
  });
}

/** Returns the message in the body of a failed answer. Null: the body contains none. */
export async function messageOfFailure(answer: IncomingMessage, bodies: Bodies): Promise<Message | null> {
  if (typeOf(answer.headers['content-type']) !== 'application/json') {
    answer.destroy();
    return null;
  }
  return bodies.read(answer, async (body) => {
    const text = decoded(body);
    return text === null ? null : readMessage(text);
  });
}

async function readEvents(answer: IncomingMessage, reading: Reading, place: StreamPlace): Promise<void> {
  const events = new EventSplitter(reading.mostBytes);
  for await (const chunk of answer as AsyncIterable<Uint8Array>)
    for (const event of events.push(chunk)) {
      notePlace(event, place);
      if (event.lines !== null && (event.data === null || event.data === '')) continue;
      const message = event.data === null ? null : readMessage(event.data);
      if (message === null || message.kind === 'invalid')
        reading.warn('the server sent an event that is no message; it was left out');
      else await reading.each(message);
    }
}

function notePlace({ lines }: SseEvent, place: StreamPlace): void {
  for (const line of lines ?? []) {
    const [, field, value = ''] = /^(id|retry):? ?(.*)$/.exec(line) ?? [];
    // Such an id cannot be sent back in a header.
    if (field === 'id' && /^[\x20-\x7e]*$/.test(value) && value.length <= MOST_EVENT_ID_UNITS)
      place.eventId = value === '' ? null : value;
    if (field === 'retry' && /^\d{1,9}$/.test(value)) place.retryMs = Number(value);
  }
}

function typeOf(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
