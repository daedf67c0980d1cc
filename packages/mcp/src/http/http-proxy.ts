/**
 * Handles each request of a client. Most requests pass unchanged. Governed messages, and answers that contain lists, go
 * through the session of the client.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { foldedKey } from '@mandate/schemas/json-spans';
import { type GovernedRequest, type OpenRequest, withoutArguments } from '../govern/open-request.ts';
import type { ClientLink } from '../govern/session.ts';
import type { Caller } from '../govern/settings.ts';
import { disguiseFault, isGoverned } from '../govern/subjects.ts';
import { fieldsOf } from '../messages/fields-of.ts';
import {
  INVALID_REQUEST,
  type Message,
  namedId,
  PARSE_ERROR,
  type Request,
  readMessage,
} from '../messages/read-message.ts';
import { decoded } from '../messages/split-lines.ts';
import { errorFrame, notificationFrame, requestFrame } from '../messages/write-message.ts';
import type { Callers } from './callers.ts';
import { originFault } from './check-origin.ts';
import { type ClientSession, type ClientSessions, rememberOpen } from './client-session.ts';
import { didNotRun, isFailure, unreachable } from './failed-answers.ts';
import { holdsMessage } from './login-body.ts';
import { decodedName, headersOf, isPlainUtf8 } from './proxy-headers.ts';
import { Bodies, BodyRefused } from './read-body.ts';
import { relayAnswer, relayBytes } from './relay-answer.ts';
import { Reply } from './reply.ts';
import { routeOf } from './route-of.ts';
import { sendCall } from './send-call.ts';
import { EventSplitter } from './split-events.ts';
import type { Upstream } from './upstream.ts';

type Parts = {
  upstream: Upstream;
  callers: Callers;
  sessions: ClientSessions;
  knownHosts: ReadonlySet<string>;
  mostBytes: number;
  /** Whether a call that may be repeated is sent once more if the server gave no answer. */
  repeats: boolean;
  warn(text: string): void;
};

/** One request of a client, with all the data that its steps need. */
type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  reply: Reply;
  caller: Caller;
  client: ClientSession;
  /** The session id from the server. Null: there is none. */
  sessionId: string | null;
  /** Aborts when the client has disconnected. */
  gone: AbortSignal;
};

const HEADER_MISMATCH = -32020;
const INTERNAL = -32603;
const CANCEL_MS = 2_000;
/** How long the server may take for a list that the proxy requests. */
const ASK_SERVER_MS = 10_000;

export class HttpProxy {
  readonly #parts: Parts;
  readonly #bodies: Bodies;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#bodies = new Bodies(parts.mostBytes);
  }

  /** Never throws. */
  take(request: IncomingMessage, response: ServerResponse): void {
    this.#take(request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const status = error instanceof BodyRefused ? error.status : 502;
      if (response.headersSent) response.destroy();
      else refuse(response, status, message);
      if (!request.destroyed && !(error instanceof BodyRefused)) this.#parts.warn(message);
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { knownHosts, upstream, callers, sessions } = this.#parts;
    const fault = originFault(request, knownHosts);
    if (fault !== null) return refuse(response, 403, fault);
    const route = routeOf(request.url ?? '', upstream.url.pathname);
    if (route === null) return refuse(response, 404, 'The proxy serves no such path.');
    const leaving = new AbortController();
    response.once('close', () => leaving.abort(new Error('The client is gone.')));
    const gone = leaving.signal;
    const { method = 'GET', headers } = request;
    if (route === 'login' || method === 'OPTIONS') return this.#pass(request, response, gone);
    const found = callers.find(headers);
    if (!found.ok) return refuse(response, 403, `${found.why} ${found.remedy}`);
    const { caller } = found;
    const named = headers['mcp-session-id'];
    const sessionId = typeof named === 'string' ? named : null;
    const client = sessions.of(caller.key, sessionId);
    const exchange = {
      ...{ request, response, caller, client, sessionId, gone },
      reply: new Reply(response, headers.accept),
    };
    if (method === 'GET') return this.#listen(exchange);
    if (method === 'DELETE') return this.#pass(request, response, gone);
    if (method !== 'POST') return refuse(response, 405, 'The proxy takes no such method.');
    // With another character set, or after decompression, the server could read other arguments than the proxy.
    if (!isPlainUtf8(request)) return refuse(response, 415, 'The message must be plain UTF-8.');
    return this.#bodies.read(request, (body) => this.#post(exchange, body));
  }

  /** Passes a request that contains no message. Only a request of OAuth has a body. */
  async #pass(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    await this.#bodies.read(request, async (read) => {
      const body = request.method === 'POST' && read.length > 0 ? read : null;
      // Some servers ignore the path. They would run a message in this body as a call, although it was not decided.
      if (body !== null && (!isPlainUtf8(request) || holdsMessage(body)))
        return refuse(response, 400, 'This path takes no message of MCP.');
      const answer = await this.#parts.upstream.send({ ...this.#asSent(request), body, signal });
      await relayBytes(answer, { response });
    });
  }

  /** The stream on which the server sends its own messages. After a reconnection it may also contain answers. */
  async #listen(exchange: Exchange): Promise<void> {
    const { request, gone } = exchange;
    const answer = await this.#parts.upstream.send({ ...this.#asSent(request), body: null, signal: gone });
    await this.#relay(answer, exchange, null);
  }

  async #post(exchange: Exchange, body: Uint8Array): Promise<void> {
    const { request, response, client } = exchange;
    const text = decoded(body);
    if (text === null) return answerFault(response, 'null', PARSE_ERROR, 'The message is no UTF-8.');
    if (text.trimStart().startsWith('['))
      return answerFault(
        response,
        'null',
        INVALID_REQUEST,
        'A list of messages is not taken. Send each message alone.',
      );
    const message = readMessage(text);
    if (message.kind === 'invalid') return answerFault(response, message.id, message.code, message.why);
    if (message.kind === 'response') {
      const resolve = client.asked.get(message.id);
      if (resolve === undefined) return this.#forward(exchange, body, null);
      resolve(message);
      response.writeHead(202).end();
      return;
    }
    const messageId = message.kind === 'request' ? message.id : 'null';
    const disguise = disguiseFault(message);
    if (disguise !== null) return answerFault(response, messageId, INVALID_REQUEST, disguise);
    const mismatch = headerFault(request, message);
    if (mismatch !== null) return answerFault(response, messageId, HEADER_MISMATCH, mismatch);
    if (message.kind === 'notification') {
      const cancelled =
        message.method === 'notifications/cancelled' ? namedId(message.params.value.requestId) : null;
      const governed = cancelled === null ? null : client.open.get(cancelled)?.governed;
      governed?.deciding.abort(new Error('The client cancelled the call.'));
      if (!governed || governed.call !== null) return this.#forward(exchange, body, null);
      response.writeHead(202).end();
      return;
    }
    if (client.open.has(message.id) && exchange.sessionId !== null)
      return answerFault(
        response,
        message.id,
        INVALID_REQUEST,
        'The id belongs to a request that has no answer yet.',
      );
    if (isGoverned(message.method)) return this.#govern(exchange, message as GovernedRequest);
    return this.#forward(exchange, body, message);
  }

  /** Passes a message to the server, and its answer to the client. `passed`: the message, if it is a request. */
  async #forward(exchange: Exchange, body: Uint8Array, passed: Request | null): Promise<void> {
    const { request, response, caller, gone } = exchange;
    const isFirst = passed?.method === 'initialize';
    const client = isFirst ? this.#parts.sessions.created() : exchange.client;
    const open = passed === null ? null : { request: withoutArguments(passed), governed: null };
    if (open !== null && passed !== null) {
      client.session.notePassing(passed);
      if (exchange.sessionId !== null) rememberOpen(client, open);
    }
    let answer: IncomingMessage;
    try {
      answer = await this.#parts.upstream.send({ ...this.#asSent(request), body, signal: gone });
    } catch (error) {
      if (gone.aborted) return;
      client.open.delete(open?.request.id ?? '');
      return answerFault(response, open?.request.id ?? 'null', INTERNAL, unreachable(error), 502);
    }
    const sessionId = answer.headers['mcp-session-id'];
    if (isFailure(answer) && open !== null) client.open.delete(open.request.id);
    if (isFirst && typeof sessionId === 'string' && !isFailure(answer))
      this.#parts.sessions.prove(caller.key, sessionId, client);
    await this.#relay(answer, { ...exchange, client }, open);
  }

  async #govern(exchange: Exchange, whole: GovernedRequest): Promise<void> {
    const request = withoutArguments(whole);
    const { client, caller, reply, gone, sessionId } = exchange;
    const deciding = new AbortController();
    const governed: NonNullable<OpenRequest['governed']> = {
      request,
      deciding,
      call: null,
      isAnswered: false,
    };
    const open: OpenRequest = { request, governed };
    if (sessionId !== null) rememberOpen(client, open);
    const forget = () => void client.open.delete(request.id);
    const signal = AbortSignal.any([deciding.signal, gone]);
    const opened = await client.session
      .open(whole, caller, this.#link(exchange), signal)
      .catch((error: unknown) => {
        forget();
        if (!signal.aborted) throw error;
        return null;
      });
    if (opened === null) {
      if (!gone.aborted) exchange.response.writeHead(202).end();
      return;
    }
    if (opened.kind === 'refused') {
      forget();
      return reply.end(opened.frame);
    }
    const { call, frame } = opened;
    governed.call = call;
    const { signal: stop } = call.running;
    const onStop = () => {
      if (governed.isAnswered || gone.aborted) return;
      governed.isAnswered = true;
      forget();
      reply.end(client.session.stopped(request, call));
      this.#cancel(exchange, request);
    };
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) return onStop();
    const lost = (error: unknown) => {
      if (gone.aborted) return;
      // The answer came on another stream.
      if (governed.isAnswered) return endEmpty(exchange.response);
      forget();
      reply.end(client.session.lost(request, unreachable(error)));
    };
    let answer: IncomingMessage;
    try {
      const body = Buffer.from(frame);
      const ends = AbortSignal.any([gone, stop]);
      answer = await sendCall({
        send: () => this.#parts.upstream.send({ ...this.#asSent(exchange.request), body, signal: ends }),
        mayRepeat: this.#parts.repeats && call.mayRepeat && !call.hasBegun,
        ends: AbortSignal.any([ends, deciding.signal]),
        isAnswered: () => governed.isAnswered,
        onRepeat: (why) => {
          call.hasBegun = true;
          this.#parts.warn(`the action ${call.running.action.id} is sent to the server once more: ${why}`);
        },
      });
    } catch (error) {
      return lost(error);
    }
    if (isFailure(answer)) {
      forget();
      // In a later round of its input, the call may have had its effect already.
      const hasNotRun = didNotRun(answer) && !call.hasBegun;
      if (hasNotRun) void call.running.settle({ status: 'cancelled' });
      if (!reply.isStream) return relayBytes(answer, exchange);
      // The stream contains messages, but the body of this answer is not a message.
      answer.resume();
      return lost(new Error(`it answered with status ${answer.statusCode}`));
    }
    try {
      await this.#relay(answer, exchange, open);
    } catch (error) {
      lost(error);
    }
  }

  async #relay(answer: IncomingMessage, exchange: Exchange, own: OpenRequest | null): Promise<void> {
    const { response, client, caller, sessionId } = exchange;
    const { warn, mostBytes, sessions } = this.#parts;
    const isKnown = sessions.of(caller.key, sessionId) === client;
    if (isKnown && !isFailure(answer)) sessions.prove(caller.key, sessionId, client);
    await relayAnswer(answer, {
      ...{ response, bodies: this.#bodies, mostBytes, warn, expectsMessage: own !== null },
      change: (message) => this.#fromServer(message, { client, caller, own }),
    });
  }

  /** Returns the message that the client gets for a message of the server. Null: none. */
  async #fromServer(
    message: Message,
    { client, caller, own }: Pick<Exchange, 'client' | 'caller'> & { own: OpenRequest | null },
  ): Promise<string | null> {
    if (message.kind === 'invalid') return null;
    const { session, open } = client;
    if (message.kind === 'notification') session.noteNotification(message);
    if (message.kind !== 'response' || (message.id === 'null' && message.isError)) return message.text;
    const answered = own?.request.id === message.id ? own : open.get(message.id);
    if (answered === undefined) {
      this.#parts.warn(`the server answered a request that is not open (id ${message.id}); it was left out`);
      return null;
    }
    open.delete(message.id);
    const { request, governed } = answered;
    if (governed === null) return session.passing(request, message, caller);
    if (governed.call === null) return null;
    const text = session.answered(governed.call, message);
    if (governed.isAnswered) return null;
    governed.isAnswered = true;
    return text;
  }

  /** Tells the server that a call was stopped. In the new era the closed connection already says so. */
  #cancel({ request, sessionId }: Exchange, { id }: Request): void {
    if (sessionId === null) return;
    const params = { requestId: JSON.parse(id) as unknown, reason: 'stopped by Mandate' };
    const body = Buffer.from(notificationFrame('notifications/cancelled', params));
    const signal = AbortSignal.timeout(CANCEL_MS);
    this.#parts.upstream.send({ ...this.#asSent(request), body, signal }).then(
      (answer) => answer.resume(),
      () => {},
    );
  }

  /** Sends a request of the proxy itself, with the headers of the client. Returns the result. */
  async #askServer({ request }: Exchange, method: string, params: object): Promise<unknown> {
    const id = JSON.stringify(`mandate-${randomUUID()}`);
    const sent = this.#asSent(request);
    const signal = AbortSignal.timeout(ASK_SERVER_MS);
    const answer = await this.#parts.upstream.send({
      ...{ ...sent, signal, body: Buffer.from(requestFrame(id, method, params)) },
      headers: headersFor(sent.headers, method),
    });
    const { statusCode = 500, headers } = answer;
    if (statusCode !== 200) {
      answer.resume();
      throw new Error(`The server answered ${statusCode}.`);
    }
    return this.#bodies.read(answer, async (body) => {
      const isStream = (headers['content-type'] ?? '').startsWith('text/event-stream');
      const texts = isStream
        ? new EventSplitter(this.#parts.mostBytes).push(body).map(({ data }) => data ?? '')
        : [decoded(body) ?? ''];
      const answers = texts.map(readMessage).filter((message) => message.kind === 'response');
      return answers.find((message) => message.id === id)?.result?.value;
    });
  }

  #link(exchange: Exchange): ClientLink {
    const { client, reply, sessionId } = exchange;
    return {
      askServer: (method, params) => this.#askServer(exchange, method, params),
      send: (frame) => reply.send(frame),
      // The answer of the client arrives as a separate request. Without a session it could not be matched to the
      // question.
      ask:
        sessionId === null
          ? null
          : async (method, params, signal) => {
              const id = JSON.stringify(`mandate-${randomUUID()}`);
              const { promise, resolve, reject } = Promise.withResolvers<unknown>();
              const onAbort = () => reject(signal.reason);
              signal.addEventListener('abort', onAbort, { once: true });
              client.asked.set(id, ({ result }) => resolve(fieldsOf(result?.value)));
              reply.send(requestFrame(id, method, params));
              try {
                return await promise;
              } finally {
                client.asked.delete(id);
                signal.removeEventListener('abort', onAbort);
              }
            },
    };
  }

  #asSent(request: IncomingMessage): { method: string; path: string; headers: string[] } {
    const { pathname, search } = this.#parts.upstream.url;
    const [path = ''] = (request.url ?? '').split('?', 1);
    // The query may contain settings of the operator, for example that the server only reads.
    const target = path === pathname && search !== '' ? path + search : (request.url ?? '');
    return { method: request.method ?? 'GET', path: target, headers: headersOf(request) };
  }
}

/**
 * Returns the fault if the headers of the new era name another call than the body. A server may use either, so both
 * must name the call that is decided.
 */
function headerFault(
  { headers }: IncomingMessage,
  message: { method: string; params: Request['params'] },
): string | null {
  const { 'mcp-method': method, 'mcp-name': name } = headers;
  // A header that is repeated has several values.
  const named = typeof method === 'string' ? method.split(',') : [];
  const isRelevant = [message.method, ...named].some((one) => isGoverned(foldedKey(one).trim()));
  if (!isRelevant) return null;
  if (method !== undefined && method !== message.method)
    return `The header Mcp-Method is "${method}", and the method is "${message.method}".`;
  const { name: called, uri } = message.params.value;
  const right = message.method === 'resources/read' ? uri : called;
  if (name === undefined || (typeof name === 'string' && decodedName(name) === right)) return null;
  return 'The header Mcp-Name names another call than the message.';
}

/** Returns the headers of the client for a request of the proxy. The new era names the method in a header. */
function headersFor(sent: readonly string[], method: string): string[] {
  const headers: string[] = [];
  for (let at = 0; at < sent.length; at += 2) {
    const [name = '', value = ''] = sent.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower === 'mcp-name' || lower.startsWith('mcp-param-')) continue;
    headers.push(name, lower === 'mcp-method' ? method : value);
  }
  return headers;
}

function endEmpty(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(202);
  response.end();
}

function refuse(response: ServerResponse, status: number, message: string): void {
  answerFault(response, 'null', INVALID_REQUEST, message, status);
}

function answerFault(
  response: ServerResponse,
  id: string,
  code: number,
  message: string,
  status = 400,
): void {
  if (response.writableEnded) return;
  const body = Buffer.from(errorFrame(id, { code, message }));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}
