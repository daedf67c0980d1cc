/**
 * Passes the answer of the server to the client. Messages in it go through `change` first. A message that stays as it
 * is keeps its bytes, and so do ids, comments and line ends of a stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Message, readMessage } from '../messages/read-message.ts';
import { decoded } from '../messages/split-lines.ts';
import { drained } from '../streams/drained.ts';
import { headersOf } from './proxy-headers.ts';
import type { Bodies } from './read-body.ts';
import { eventOf } from './reply.ts';
import { EventSplitter, withData } from './split-events.ts';

export type Relay = {
  response: ServerResponse;
  bodies: Bodies;
  mostBytes: number;
  /** True if the client has sent a request. */
  expectsMessage: boolean;
  /** Returns the message for the client instead of the server's message. Null: none. */
  change(message: Message): Promise<string | null>;
  warn(text: string): void;
};

/** The server's answer is one that the proxy cannot check. */
class AnswerUnreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AnswerUnreadable';
  }
}

/** @throws AnswerUnreadable, BodyRefused, EventTooLong */
export async function relayAnswer(answer: IncomingMessage, relay: Relay): Promise<void> {
  const type = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const status = answer.statusCode ?? 500;
  const isMessage = type === 'text/event-stream' || type === 'application/json';
  if (status >= 300) return relayBytes(answer, relay);
  if (!isMessage) {
    // A tolerant client may read a message even if its content type is another one. So the proxy must read every answer
    // before it passes the answer on.
    if (relay.expectsMessage && status !== 202 && status !== 204 && answer.headers['content-length'] !== '0')
      throw new AnswerUnreadable(`The server answered with the type "${type}".`);
    return relayBytes(answer, relay);
  }
  const { 'content-encoding': encoding = 'identity' } = answer.headers;
  if (encoding !== 'identity') throw new AnswerUnreadable(`The server compressed its answer (${encoding}).`);
  return type === 'application/json' ? relayDocument(answer, relay) : relayEvents(answer, relay);
}

/** Passes an answer that contains no message for the client: an error, or an answer without a body. */
export async function relayBytes(
  answer: IncomingMessage,
  { response }: Pick<Relay, 'response'>,
): Promise<void> {
  if (!response.headersSent) {
    const length = answer.headers['content-length'];
    const headers = [...headersOf(answer), ...(length === undefined ? [] : ['content-length', length])];
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers);
  }
  for await (const chunk of answer as AsyncIterable<Uint8Array>) await written(response, chunk);
  response.end();
}

async function relayDocument(answer: IncomingMessage, relay: Relay): Promise<void> {
  const { response, bodies, change } = relay;
  await bodies.read(answer, async (body) => {
    const text = decoded(body);
    // A client might read bytes that the proxy cannot read: many decoders only replace bytes that are not UTF-8.
    if (text === null) throw new AnswerUnreadable('The answer of the server is no UTF-8.');
    const message = text.trim() === '' ? null : readMessage(text);
    if (message?.kind === 'invalid')
      throw new AnswerUnreadable('The answer of the server is no single message.');
    const changed = message === null ? '' : await change(message);
    if (response.writableEnded) return;
    if (response.headersSent) {
      response.end(changed === null || changed === '' ? undefined : eventOf(changed));
      return;
    }
    const bytes = changed === text || message === null ? body : Buffer.from(changed ?? '');
    const headers = [...headersOf(answer), 'content-length', String(bytes.length)];
    response.writeHead(answer.statusCode ?? 200, answer.statusMessage ?? '', headers);
    response.end(bytes);
  });
}

async function relayEvents(answer: IncomingMessage, relay: Relay): Promise<void> {
  const { response, change, mostBytes, warn } = relay;
  if (!response.headersSent) {
    response.writeHead(answer.statusCode ?? 200, answer.statusMessage ?? '', headersOf(answer));
    response.flushHeaders();
  }
  const events = new EventSplitter(mostBytes);
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    for (const event of events.push(chunk)) {
      const { lines, data, bytes } = event;
      if (lines !== null && (data === null || data === '')) {
        await written(response, bytes);
        continue;
      }
      const message = data === null ? null : readMessage(data);
      // Such an event could be a list that only the client can read, so it is not passed on.
      if (message === null || message.kind === 'invalid') {
        warn('the server sent an event that is no message; it was left out');
        continue;
      }
      const changed = await change(message);
      if (changed !== null)
        await written(response, changed === data ? bytes : Buffer.from(withData(event, changed)));
    }
  }
  response.end();
}

async function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (response.writableEnded || response.destroyed) return;
  response.write(bytes);
  await drained(response);
}
