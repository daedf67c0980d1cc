/**
 * The proxy for a client that speaks over stdio. The server speaks over stdio too, or over HTTP (`remote`). Frames that
 * the proxy does not change keep their bytes and their order. A call that is being decided delays no other frame.
 */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { elementsOf } from '@mandate/schemas/json-spans';
import { type GovernedRequest, type OpenRequest, withoutArguments } from '../govern/open-request.ts';
import type { ClientLink, Session } from '../govern/session.ts';
import type { Caller } from '../govern/settings.ts';
import { disguiseFault, isGoverned } from '../govern/subjects.ts';
import { fieldsOf } from '../messages/fields-of.ts';
import {
  INVALID_REQUEST,
  type Message,
  namedId,
  PARSE_ERROR,
  type Request,
  type Response,
  readMessage,
} from '../messages/read-message.ts';
import { decoded, LineSplitter, LineTooLong } from '../messages/split-lines.ts';
import { errorFrame, notificationFrame, requestFrame } from '../messages/write-message.ts';
import { drained } from '../streams/drained.ts';
import { OpenRequests } from './open-requests.ts';
import type { ServerLink, Unanswered } from './server-link.ts';

type Parts = {
  input: Readable;
  output: Writable;
  server: ServerLink;
  session: Session;
  caller: Caller;
  /** The maximum length of a line of either side, in bytes. */
  mostLineBytes: number;
  /** Stops the proxy. */
  signal: AbortSignal;
  /** Tells the operator. */
  warn(text: string): void;
};

/** `code`: the exit code of the server. Null: the server was stopped, because the client disconnected. */
export type ProxyEnd = { code: number | null; fault: string | null };

const INTERNAL = -32603;
/** How long the server may take for a list that the proxy requests. */
const ASK_SERVER_MS = 10_000;
/** How long the output of an ended server is read. A process that the server started can keep the output open. */
const LAST_WORDS_MS = 1_000;
/**
 * The maximum number of bytes that the server may leave unread. The proxy keeps reading, so that it notices when the
 * client disconnects.
 */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** If the client leaves more than this unread, the proxy stops reading messages of the client. */
const MOST_UNREAD_ANSWERS = 1024 * 1024;

/** Resolves when the client or the server has ended. Then the server has no process left. */
export async function runStdioProxy(parts: Parts): Promise<ProxyEnd> {
  return new StdioProxy(parts).run();
}

class StdioProxy {
  readonly #parts: Parts;
  readonly #open = new OpenRequests();
  /** The questions of the proxy to the client, by their ids. */
  readonly #asked = new Map<string, (answer: Response) => void>();
  /** The questions of the proxy to the server, by their ids. */
  readonly #askedServer = new Map<string, (answer: Response) => void>();
  readonly #link: ClientLink;
  /** The answers that are not passed on yet, because their lists are being filtered. */
  readonly #beingFiltered = new Set<Promise<void>>();
  #fault: string | null = null;
  /** True after the client or the server has ended. Then the proxy sends no more questions to the server. */
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#link = {
      send: (frame) => this.#toClient(frame),
      ask: (method, params, signal) => this.#ask(method, params, signal),
      askServer: (method, params) => this.#askServer(method, params),
    };
  }

  async run(): Promise<ProxyEnd> {
    const { server, signal, input } = this.#parts;
    const stop = () => void input.destroy();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    server.onUnanswered?.((unanswered) => this.#unanswered(unanswered));
    const clientGone = this.#readClient().then(() => null);
    const serverRead = this.#readServer();
    const first = await Promise.race([clientGone, server.ended]).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    if (first !== null) {
      // The server has ended. The client still gets everything that it has written.
      await Promise.race([serverRead, clientGone, sleep(LAST_WORDS_MS)]);
      this.#serverLost(first.error === null ? 'The server ended.' : 'The server could not be started.');
      if (first.error !== null) this.#fault ??= `The server could not be started: ${first.error.message}`;
      else if (first.code !== 0) this.#parts.warn(`the server ended with ${first.code ?? first.signal}`);
    }
    signal.removeEventListener('abort', stop);
    input.destroy();
    for (const { governed } of this.#open.waiting())
      governed?.deciding.abort(new Error('The client is gone.'));
    this.#endQuestions();
    await server.stop();
    return { code: first === null ? null : (first.code ?? 1), fault: this.#fault };
  }

  async #readClient(): Promise<void> {
    const { input, output, mostLineBytes } = this.#parts;
    try {
      await readLines(input, mostLineBytes, (bytes) => {
        this.#clientLine(bytes);
        return output.writableLength > MOST_UNREAD_ANSWERS ? drained(output, input) : undefined;
      });
    } catch (error) {
      if (error instanceof LineTooLong) this.#fail(`The client sent too much. ${error.message}`);
      else if (!this.#parts.signal.aborted && !isClosed(error)) throw error;
    }
  }

  async #readServer(): Promise<void> {
    const { server, mostLineBytes, output } = this.#parts;
    try {
      await readLines(server.output, mostLineBytes, async (bytes) => {
        this.#serverLine(bytes);
        await drained(output);
      });
    } catch (error) {
      if (!(error instanceof LineTooLong)) {
        if (!isClosed(error)) throw error;
        return;
      }
      this.#fail(`The server sent too much. ${error.message}`);
      this.#serverLost('The server sent a message that is too long.');
      this.#parts.input.destroy();
    }
  }

  #fail(why: string): void {
    this.#fault ??= why;
    this.#parts.warn(why);
  }

  #clientLine(bytes: Uint8Array): void {
    const text = decoded(bytes);
    if (text === null) {
      this.#toClient(errorFrame('null', { code: PARSE_ERROR, message: 'The message is no UTF-8.' }));
      return;
    }
    if (text.trim() === '') return;
    if (!isJsonList(text)) {
      this.#fromClient(readMessage(text), bytes);
      return;
    }
    // Each message of a batch is governed. Sent one by one, the messages mean the same.
    const messages = elementsOf(text) ?? [];
    for (const { start, end } of messages) this.#fromClient(readMessage(text.slice(start, end)), null);
  }

  /** @param bytes the line of the message. Null: the message was a part of a line */
  #fromClient(message: Message, bytes: Uint8Array | null): void {
    if (message.kind === 'invalid') {
      this.#toClient(errorFrame(message.id, { code: message.code, message: message.why }));
      return;
    }
    const pass = () => this.#toServer(bytes ?? message.text);
    if (message.kind === 'response') {
      const resolve = this.#asked.get(message.id) ?? pass;
      resolve(message);
      return;
    }
    const disguise = disguiseFault(message);
    if (disguise !== null) {
      const id = message.kind === 'request' ? message.id : 'null';
      this.#toClient(errorFrame(id, { code: INVALID_REQUEST, message: disguise }));
      return;
    }
    if (message.kind === 'notification') {
      const cancelled =
        message.method === 'notifications/cancelled' ? this.#cancelled(message.params.value) : null;
      if (cancelled !== 'undecided') pass();
      return;
    }
    const fault = this.#open.faultOf(message);
    if (fault !== null) {
      this.#toClient(errorFrame(message.id, { code: INVALID_REQUEST, message: fault }));
      return;
    }
    if (isGoverned(message.method)) {
      this.#govern(message as GovernedRequest, bytes).catch((error: unknown) => this.#failed(message, error));
      return;
    }
    this.#open.add({ request: withoutArguments(message), governed: null });
    this.#parts.session.notePassing(message);
    pass();
  }

  /** A cancelled call that is not decided yet never reaches the server. */
  #cancelled(params: Readonly<Record<string, unknown>>): 'undecided' | null {
    const id = namedId(params.requestId);
    const governed = id === null ? null : this.#open.get(id)?.governed;
    if (id !== null && (!governed || governed.call !== null)) this.#open.giveUp(id);
    if (!governed || governed.call !== null) return null;
    governed.deciding.abort(new Error('The client cancelled the call.'));
    return 'undecided';
  }

  async #govern(request: GovernedRequest, bytes: Uint8Array | null): Promise<void> {
    const { session, caller } = this.#parts;
    const kept = withoutArguments(request);
    const governed: OpenRequest['governed'] = {
      ...{ request: kept, deciding: new AbortController(), call: null, isAnswered: false },
    };
    this.#open.add({ request: kept, governed });
    try {
      const opened = await session.open(request, caller, this.#link, governed.deciding.signal);
      if (opened.kind === 'refused') {
        this.#open.remove(request.id);
        this.#toClient(opened.frame);
        return;
      }
      const { call, frame } = opened;
      governed.call = call;
      const { signal } = call.running;
      const onStop = () => this.#stop(kept, governed);
      signal.addEventListener('abort', onStop, { once: true });
      if (signal.aborted) onStop();
      else this.#toServer(frame === request.text && bytes !== null ? bytes : frame);
    } catch (error) {
      // The client cancelled the call, so it expects no answer.
      this.#open.remove(request.id);
      if (!governed.deciding.signal.aborted) throw error;
    }
  }

  /** Mandate stops a running call. A late answer of the server settles the call, but does not reach the client. */
  #stop(request: GovernedRequest, governed: NonNullable<OpenRequest['governed']>): void {
    if (governed.isAnswered || governed.call === null || this.#open.get(request.id)?.governed !== governed)
      return;
    governed.isAnswered = true;
    this.#open.giveUp(request.id);
    const requestId = JSON.parse(request.id) as unknown;
    this.#toServer(notificationFrame('notifications/cancelled', { requestId, reason: 'stopped by Mandate' }));
    this.#toClient(this.#parts.session.stopped(request, governed.call));
  }

  #serverLine(bytes: Uint8Array): void {
    const text = decoded(bytes);
    if (text?.trim() === '') return;
    if (isJsonList(text)) {
      for (const { start, end } of elementsOf(text) ?? [])
        this.#fromServer(readMessage(text.slice(start, end)), null);
      return;
    }
    const message = text === null ? null : readMessage(text);
    // Such a line could be a list that only the client can read, so it is not passed on.
    if (message === null || message.kind === 'invalid')
      this.#parts.warn('the server wrote a line that is no message; it was left out');
    else this.#fromServer(message, bytes);
  }

  #fromServer(message: Message, bytes: Uint8Array | null): void {
    const { session, caller } = this.#parts;
    if (message.kind === 'invalid') return;
    const pass = () => this.#toClient(bytes ?? message.text);
    if (message.kind === 'notification') {
      session.noteNotification(message);
      // Otherwise the client could mistake the older list for the newer one.
      if (message.method.endsWith('/list_changed') && this.#beingFiltered.size > 0) {
        void Promise.all(this.#beingFiltered).then(pass);
        return;
      }
    }
    // An error without an id is about a message that the server could not read.
    if (message.kind !== 'response' || (message.id === 'null' && message.isError)) {
      pass();
      return;
    }
    const ours = this.#askedServer.get(message.id);
    if (ours !== undefined) {
      ours(message);
      return;
    }
    const open = this.#open.get(message.id);
    if (open === undefined) {
      this.#parts.warn(
        `the server answered a request that is not open (id ${message.id}); the answer was left out`,
      );
      return;
    }
    this.#open.remove(message.id);
    const { request, governed } = open;
    if (governed !== null) {
      if (governed.call === null) return;
      const text = session.answered(governed.call, message);
      if (!governed.isAnswered) this.#toClient(text === message.text && bytes !== null ? bytes : text);
      return;
    }
    const passed = session
      .passing(request, message, caller)
      .then((text) => this.#toClient(text === message.text && bytes !== null ? bytes : text))
      .catch((error: unknown) => this.#failed(request, error))
      .finally(() => this.#beingFiltered.delete(passed));
    this.#beingFiltered.add(passed);
  }

  /** An error of the proxy itself is the answer to the request, and does not end the proxy. */
  #failed({ id }: Request, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#parts.warn(`a request could not be handled: ${why}`);
    this.#toClient(
      errorFrame(id, { code: INTERNAL, message: `The proxy could not handle the request: ${why}` }),
    );
  }

  #serverLost(why: string): void {
    for (const open of this.#open.waiting()) this.#lost(open, why);
  }

  #lost({ request, governed }: OpenRequest, why: string): void {
    this.#open.remove(request.id);
    if (governed?.isAnswered) return;
    if (governed !== null) {
      governed.deciding.abort(new Error(why));
      this.#toClient(this.#parts.session.lost(governed.request, why));
    } else this.#toClient(errorFrame(request.id, { code: INTERNAL, message: why }));
  }

  #unanswered(unanswered: Unanswered): void {
    const { id } = unanswered;
    const ours = this.#askedServer.get(id);
    if (ours !== undefined) {
      ours(noAnswer(id));
      return;
    }
    // A request that the client has cancelled needs no answer.
    const open = this.#open.waitsFor(id);
    if (open === undefined) return;
    if (unanswered.kind === 'lost') {
      this.#lost(open, unanswered.why);
      return;
    }
    this.#open.remove(id);
    const call = open.governed?.call ?? null;
    // In a later round of its input, the call may have had its effect already.
    if (call !== null && !call.hasBegun) void call.running.settle({ status: 'cancelled' });
    this.#toClient(unanswered.frame);
  }

  async #ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const id = JSON.stringify(`mandate-${randomUUID()}`);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#asked.set(id, resolve);
    this.#toClient(requestFrame(id, method, params));
    try {
      const { result, isError } = await promise;
      return isError ? null : fieldsOf(result?.value);
    } finally {
      this.#asked.delete(id);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the open questions to the server, because their timers would keep the process alive. */
  #endQuestions(): void {
    this.#isOver = true;
    for (const [id, answer] of this.#askedServer) answer(noAnswer(id));
  }

  async #askServer(method: string, params: object): Promise<unknown> {
    if (this.#isOver) throw new Error('The server has ended.');
    const id = JSON.stringify(`mandate-${randomUUID()}`);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const timer = setTimeout(() => reject(new Error('The server gave no answer in time.')), ASK_SERVER_MS);
    this.#askedServer.set(id, resolve);
    this.#toServer(requestFrame(id, method, params));
    try {
      const { result, isError } = await promise;
      if (isError) throw new Error('The server refused the request.');
      return result?.value;
    } finally {
      clearTimeout(timer);
      this.#askedServer.delete(id);
    }
  }

  #toClient(frame: string | Uint8Array): void {
    write(this.#parts.output, frame);
  }

  #toServer(frame: string | Uint8Array): void {
    const { server, input } = this.#parts;
    write(server.input, frame);
    if (server.input.writableLength <= MOST_UNREAD_BYTES) return;
    this.#fail(`The server has left more than ${MOST_UNREAD_BYTES} bytes unread.`);
    input.destroy();
  }
}

function noAnswer(id: string): Response {
  return { kind: 'response', text: '', id, result: null, isError: true };
}

function write(to: Writable, frame: string | Uint8Array): void {
  if (to.destroyed || to.writableEnded) return;
  const bytes = typeof frame === 'string' ? Buffer.from(frame) : frame;
  const line = new Uint8Array(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = LINE_FEED;
  // Some programs end a line at a CR. They would read a part of this message as a separate message. In JSON a raw CR is
  // only white space, so a blank means the same.
  for (let at = line.indexOf(CR); at !== -1 && at < bytes.length - 1; at = line.indexOf(CR, at + 1))
    line[at] = BLANK;
  to.write(line);
}

const LINE_FEED = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;

async function readLines(
  from: Readable,
  mostBytes: number,
  each: (line: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const lines = new LineSplitter(mostBytes);
  for await (const chunk of from) for (const line of lines.push(chunk as Uint8Array)) await each(line);
}

/** True if the stream was closed while it was read. */
function isClosed(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE' || code === 'ECONNRESET' || code === 'ABORT_ERR'
  );
}

function isJsonList(text: string | null): text is string {
  if (!text?.trimStart().startsWith('[')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
