/**
 * A server over streamable HTTP, with the same interface as a server process. Each line to the server becomes a POST,
 * and each message in an answer becomes a line. In the older era there is a session: `initialize` opens it, a GET reads
 * the server's own messages, and a DELETE ends the session. In the new era each request is complete in itself, and a
 * request is cancelled by closing its connection.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnsent } from '@mandate/runtime';
import { KnownTools } from '../govern/known-tools.ts';
import { isFailure, unreachable } from '../http/failed-answers.ts';
import { Bodies } from '../http/read-body.ts';
import { Upstream } from '../http/upstream.ts';
import { fieldsOf } from '../messages/fields-of.ts';
import { type Message, namedId, type Request, type Response, readMessage } from '../messages/read-message.ts';
import { decoded } from '../messages/split-lines.ts';
import { notificationFrame, requestFrame } from '../messages/write-message.ts';
import type { ServerEnd, ServerLink, Unanswered } from '../stdio/server-link.ts';
import { drained } from '../streams/drained.ts';
import { errorOf, NotRun } from './not-run.ts';
import { isEventStream, readAnswer, type StreamPlace } from './read-answer.ts';
import { modernHeaders, statedVersion } from './remote-headers.ts';

export type RemoteParts = {
  url: URL;
  /** Headers of the operator, as names and values alternately. */
  headers: readonly string[];
  /** The maximum length of a body and of an event, in bytes. */
  mostBytes: number;
  /** Tells the operator. */
  warn(text: string): void;
};

/** A session of the older era. `id`: null if the server has given none. */
type RemoteSession = {
  id: string | null;
  version: string | null;
  /** The messages of the client that open a session, so that a lost session can be opened again. */
  params: Readonly<Record<string, unknown>>;
  ends: AbortController;
};

/** A request that the server has not answered yet. */
type OpenPost = {
  method: string;
  isModern: boolean;
  isAnswered: boolean;
  cancel: AbortController;
  /** Is called with the answer to a request of the proxy itself. Null: the client has sent the request. */
  ours: ((answer: Response) => void) | null;
};

/** The number of connections for calls. Further calls wait for a connection. */
const MOST_CALLS = 256;
/** Separate connections for messages that must not wait for calls. */
const MOST_OTHERS = 16;
/** The maximum number of bytes that may wait for the server. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const INITIALIZE_MS = 60_000;
/** How long the next message waits for the server to accept a notification. */
const NOTIFY_MS = 10_000;
const ASK_MS = 10_000;
/** How long open requests may continue after the client has gone, and how long a DELETE may take. */
const GRACE_MS = 1_000;
/** How long a server may keep a stream open after the answer in it. */
const AFTER_ANSWER_MS = 1_000;
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 30_000;
/** How often in a row a stream may be continued without a new event. */
const MOST_RESUMPTIONS = 10;

export class RemoteServer implements ServerLink {
  readonly input: Writable;
  readonly output = new PassThrough();
  readonly ended: Promise<ServerEnd>;
  readonly #parts: RemoteParts;
  readonly #calls: Upstream;
  readonly #others: Upstream;
  readonly #bodies: Bodies;
  readonly #tools = new KnownTools();
  readonly #open = new Map<string, OpenPost>();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #resolveEnd: (end: ServerEnd) => void;
  #session: RemoteSession | null = null;
  #opening: Promise<void> | null = null;
  #waitingBytes = 0;
  #stopping: Promise<void> | null = null;
  #onUnanswered: (unanswered: Unanswered) => void = () => {};

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    this.#calls = new Upstream(parts.url, MOST_CALLS);
    this.#others = new Upstream(parts.url, MOST_OTHERS);
    this.#bodies = new Bodies(parts.mostBytes);
    const { promise, resolve } = Promise.withResolvers<ServerEnd>();
    this.ended = promise;
    this.#resolveEnd = resolve;
    this.input = new Writable({
      write: (line: Uint8Array, _encoding, done) => void this.#take(line).then(() => done(), done),
    });
    this.input.on('error', () => {});
  }

  onUnanswered(listener: (unanswered: Unanswered) => void): void {
    this.#onUnanswered = listener;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.input.end();
    const answered = finished(this.input).then(() => Promise.all(this.#running));
    const timer = new AbortController();
    await Promise.race([answered, sleep(GRACE_MS, undefined, { signal: timer.signal })]).catch(() => {});
    timer.abort();
    const session = this.#session;
    session?.ends.abort();
    this.#ending.abort(new Error('The proxy ends.'));
    if (session?.id != null)
      await this.#others
        .send({
          ...this.#asSent('DELETE', this.#ofSession()),
          body: null,
          signal: AbortSignal.timeout(GRACE_MS),
        })
        .then((answer) => answer.destroy())
        .catch(() => {});
    this.input.destroy();
    this.#calls.close();
    this.#others.close();
    this.output.end();
    this.#resolveEnd({ code: 0, signal: null, error: null });
  }

  /** Resolves when the next message may follow. */
  async #take(line: Uint8Array): Promise<void> {
    const text = decoded(line)?.trim();
    const message = text === undefined ? null : readMessage(text);
    if (message === null || message.kind === 'invalid') return;
    if (message.kind === 'request') {
      const answered = this.#run(this.#request(message, null));
      // The next messages need the session id from this answer.
      if (message.method === 'initialize') await answered;
      return;
    }
    const isNotification = message.kind === 'notification';
    if (isNotification && message.method === 'notifications/cancelled') {
      const open = this.#open.get(namedId(message.params.value.requestId) ?? '');
      if (open?.isModern) return open.cancel.abort(new Error('The client cancelled the request.'));
    }
    await this.#notify(message.text);
    if (isNotification && message.method === 'notifications/initialized') this.#listen();
  }

  #run(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  /** Sends a message that needs no answer. */
  async #notify(text: string): Promise<void> {
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(NOTIFY_MS)]);
    const sent = { ...this.#asSent('POST', this.#ofSession()), body: Buffer.from(text), signal };
    try {
      const answer = await this.#others.send(sent);
      if (isFailure(answer)) this.#warn(`the server refused a message with status ${answer.statusCode}`);
      answer.resume();
    } catch (error) {
      this.#warn(unreachable(error));
    }
  }

  /** Sends a request, and passes its answer to the client. Never rejects. */
  async #request(request: Request, ours: OpenPost['ours']): Promise<void> {
    const { id, method } = request;
    const isModern = statedVersion(request) !== null;
    const open: OpenPost = { method, isModern, isAnswered: false, cancel: new AbortController(), ours };
    const signals = [open.cancel.signal, this.#ending.signal];
    if (method === 'initialize') signals.push(AbortSignal.timeout(INITIALIZE_MS));
    const signal = AbortSignal.any(signals);
    this.#open.set(id, open);
    try {
      if (method === 'initialize' && ours === null) this.#openSession(request.params.value);
      await this.#readAnswer(await this.#send(request, signal), open, signal);
    } catch (error) {
      if (!open.isAnswered && !open.cancel.signal.aborted) this.#unanswered(id, error, open);
    } finally {
      this.#open.delete(id);
    }
  }

  #unanswered(id: string, error: unknown, { ours }: OpenPost): void {
    if (ours !== null) ours({ kind: 'response', text: '', id, result: null, isError: true });
    else if (error instanceof NotRun) this.#onUnanswered({ id, kind: 'refused', frame: error.frame(id) });
    else if (isUnsent(error))
      this.#onUnanswered({ id, kind: 'refused', frame: new NotRun(notReached(error)).frame(id) });
    else this.#onUnanswered({ id, kind: 'lost', why: unreachable(error) });
  }

  /** @throws if the server does not accept the request */
  async #send(request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    const body = Buffer.from(request.text);
    if (this.#waitingBytes + body.length > MOST_WAITING_BYTES)
      throw new NotRun({ code: INTERNAL, message: 'Too many messages wait for the server.' });
    this.#waitingBytes += body.length;
    try {
      if (request.method !== 'initialize') await this.#opening?.catch(() => {});
      const session = this.#session;
      const answer = await this.#post(request, body, signal);
      const isGone = answer.statusCode === 404 && session?.id != null && request.method !== 'initialize';
      if (!isGone || statedVersion(request) !== null) return this.#accepted(answer);
      answer.resume();
      await this.#reopen(session);
      return await this.#accepted(await this.#post(request, body, signal));
    } finally {
      this.#waitingBytes -= body.length;
    }
  }

  async #accepted(answer: IncomingMessage): Promise<IncomingMessage> {
    if (isFailure(answer)) throw await errorOf(answer, this.#bodies);
    return answer;
  }

  async #post(request: Request, body: Uint8Array, signal: AbortSignal): Promise<IncomingMessage> {
    const version = statedVersion(request);
    const schema =
      version === null || request.method !== 'tools/call' ? undefined : await this.#schemaOf(request);
    const own = version === null ? this.#ofSession() : modernHeaders(request, version, schema);
    const answer = await this.#calls.send({ ...this.#asSent('POST', own), body, signal });
    const { 'mcp-session-id': id } = answer.headers;
    if (request.method === 'initialize' && this.#session !== null && typeof id === 'string')
      this.#session.id = id;
    return answer;
  }

  /** Reads the answer to a request. If the stream breaks, it is continued if the server allows this. */
  async #readAnswer(first: IncomingMessage, open: OpenPost, signal: AbortSignal): Promise<void> {
    const place: StreamPlace = { eventId: null, retryMs: null };
    let answer = first;
    let seen: string | null = null;
    for (let fruitless = 0; ; fruitless += 1) {
      const broken = await this.#readStream(answer, place, open).then(
        () => new Error('The stream ended without the answer.'),
        (error: unknown) => error,
      );
      if (open.isAnswered) return;
      if (place.eventId !== seen) fruitless = 0;
      seen = place.eventId;
      if (open.isModern || seen === null || !isEventStream(answer) || fruitless >= MOST_RESUMPTIONS)
        throw broken;
      await sleep(Math.min(place.retryMs ?? RETRY_MS, MOST_RETRY_MS), undefined, { signal });
      answer = await this.#accepted(await this.#get(seen, signal));
    }
  }

  async #readStream(answer: IncomingMessage, place: StreamPlace, own: OpenPost | null): Promise<void> {
    let timer: NodeJS.Timeout | null = null;
    const { mostBytes } = this.#parts;
    const reading = {
      ...{ bodies: this.#bodies, mostBytes, warn: (text: string) => this.#warn(text) },
      each: async (message: Exclude<Message, { kind: 'invalid' }>) => {
        await this.#fromServer(message);
        if (own?.isAnswered) timer ??= setTimeout(() => answer.destroy(), AFTER_ANSWER_MS);
      },
    };
    try {
      await readAnswer(answer, reading, place);
    } finally {
      if (timer !== null) clearTimeout(timer);
    }
  }

  async #fromServer(message: Exclude<Message, { kind: 'invalid' }>): Promise<void> {
    if (message.kind === 'notification' && message.method === 'notifications/tools/list_changed')
      this.#tools.forget();
    if (message.kind === 'response') {
      const open = this.#open.get(message.id);
      if (open !== undefined) {
        open.isAnswered = true;
        this.#note(open, message);
        if (open.ours !== null) return open.ours(message);
      }
    }
    await this.#write(message.text);
  }

  /** Reads the facts about the session and the tools from an answer. */
  #note({ method, isModern }: OpenPost, { result }: Response): void {
    const { protocolVersion } = fieldsOf(result?.value);
    if (method === 'initialize' && this.#session !== null && typeof protocolVersion === 'string')
      this.#session.version = protocolVersion;
    if (method === 'tools/list' && isModern) this.#tools.note(result?.value);
  }

  async #write(text: string): Promise<void> {
    if (this.output.writableEnded || this.output.destroyed) return;
    // In a message, a line break is only white space between two tokens.
    this.output.write(`${text.replace(/[\r\n]+/g, ' ')}\n`);
    await drained(this.output);
  }

  #openSession(params: Readonly<Record<string, unknown>>): void {
    this.#session?.ends.abort();
    this.#session = { id: null, version: null, params, ends: new AbortController() };
  }

  /** The server no longer knows the session, for example because it was restarted. */
  async #reopen(lost: RemoteSession): Promise<void> {
    if (this.#session === lost)
      this.#opening = this.#openAgain(lost).finally(() => {
        this.#opening = null;
      });
    await this.#opening;
  }

  async #openAgain(lost: RemoteSession): Promise<void> {
    this.#openSession(lost.params);
    const result = await this.#ask('initialize', lost.params).catch(() => null);
    if (result === null) {
      // The next request tries again.
      this.#session = { ...lost, ends: new AbortController() };
      throw new NotRun({ code: INTERNAL, message: 'The server no longer knows the session.' });
    }
    await this.#notify(notificationFrame('notifications/initialized', {}));
    this.#listen();
    // The tools of the server may have changed.
    this.#tools.forget();
    await this.#write(notificationFrame('notifications/tools/list_changed', {}));
  }

  /** Sends a request of the proxy itself. Rejects if the server refuses. */
  async #ask(method: string, params: object): Promise<unknown> {
    const id = JSON.stringify(`mandate-${randomUUID()}`);
    const request = readMessage(requestFrame(id, method, params)) as Request;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => {
      this.#open.get(id)?.cancel.abort();
      reject(new Error('The server gave no answer in time.'));
    }, ASK_MS);
    const asked = this.#request(request, ({ result, isError }) =>
      isError ? reject(new Error('The server refused.')) : resolve(result?.value),
    );
    void this.#run(asked);
    return promise.finally(() => clearTimeout(timer));
  }

  /** The server's schema of a tool's arguments. Some arguments are repeated in headers. */
  async #schemaOf({ params }: Request): Promise<unknown> {
    const { _meta } = params.value;
    const tool = await this.#tools.find(String(params.value.name), (page) =>
      this.#ask('tools/list', { ...page, _meta: ofProtocol(fieldsOf(_meta)) }),
    );
    return tool?.definition.inputSchema;
  }

  /** Reads the messages that the server sends on its own, until the session ends. */
  #listen(): void {
    const session = this.#session;
    if (session === null) return;
    const signal = AbortSignal.any([session.ends.signal, this.#ending.signal]);
    this.#listenUntil(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#warn(unreachable(error));
    });
  }

  async #listenUntil(signal: AbortSignal): Promise<void> {
    const place: StreamPlace = { eventId: null, retryMs: null };
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const answer = await this.#get(place.eventId, signal);
        const { statusCode = 500 } = answer;
        if (statusCode === 200 && isEventStream(answer)) {
          failures = 0;
          await this.#readStream(answer, place, null);
        } else {
          answer.destroy();
          // The server has no such stream, or no longer knows the session.
          if (statusCode < 500 && statusCode !== 408 && statusCode !== 429) return;
        }
      } catch {
        // The next turn connects again.
      }
      const waitMs = place.retryMs ?? RETRY_MS * 2 ** Math.min(failures, 5);
      await sleep(Math.min(Math.max(waitMs, RETRY_MS / 10), MOST_RETRY_MS), undefined, { signal });
    }
  }

  #get(eventId: string | null, signal: AbortSignal): Promise<IncomingMessage> {
    const last = eventId === null ? [] : ['last-event-id', eventId];
    const sent = this.#asSent('GET', [...this.#ofSession(), ...last]);
    return this.#others.send({ ...sent, body: null, signal });
  }

  #ofSession(): string[] {
    const { id = null, version = null } = this.#session ?? {};
    return [
      ...(id === null ? [] : ['mcp-session-id', id]),
      ...(version === null ? [] : ['mcp-protocol-version', version]),
    ];
  }

  #asSent(method: 'POST' | 'GET' | 'DELETE', own: readonly string[]) {
    const { url, headers } = this.#parts;
    const stream = 'text/event-stream';
    return {
      ...{ method, path: url.pathname + url.search },
      headers: [
        ...headers,
        ...['accept', method === 'GET' ? stream : `application/json, ${stream}`],
        ...(method === 'POST' ? ['content-type', 'application/json'] : []),
        ...own,
      ],
    };
  }

  #warn(text: string): void {
    if (!this.#ending.signal.aborted) this.#parts.warn(text);
  }
}

const INTERNAL = -32603;

function notReached(error: unknown) {
  return { code: INTERNAL, message: `The server cannot be reached: ${(error as Error).message}` };
}

/** The keys by which a request states its version and its client. */
function ofProtocol(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => name.startsWith('io.modelcontextprotocol/')),
  );
}
