/**
 * The facts that the proxy knows about one client: its capabilities, the tools of the server, and the open calls. A
 * transport reads and writes the frames, and asks the session what to do with them. Both eras of the protocol use the
 * same session. A message of the new era states its version in `_meta`.
 */
import { randomUUID } from 'node:crypto';
import { riskOfHints } from '@mandate/schemas/core';
import { fieldsOf } from '../messages/fields-of.ts';
import type { Notification, Request, Response } from '../messages/read-message.ts';
import { errorFrame, notificationFrame, resultFrame } from '../messages/write-message.ts';
import { decideCall, type Waiting } from './decide-call.ts';
import { DeferredCalls, digestOf } from './deferred-calls.ts';
import { filterList, isList } from './filter-list.ts';
import { hintsOf, type KnownTool, KnownTools } from './known-tools.ts';
import { mayRepeat } from './may-repeat.ts';
import { type Answered, frameOf, type OpenCall, readAnswer } from './open-call.ts';
import type { GovernedRequest } from './open-request.ts';
import { ParkedCalls } from './parked-calls.ts';
import { ownRefusal, type Refusal, refusalFrame } from './refusal.ts';
import { RunningTasks } from './running-tasks.ts';
import { createSeal, type Seal } from './sealed-state.ts';
import type { Caller, ProxySettings } from './settings.ts';
import { subjectOf } from './subjects.ts';

/** How a session reaches the client while a request of the client is open. */
export type ClientLink = {
  /** Sends a frame on the stream of the request. */
  send(frame: string): void;
  /** Asks the client, and returns its result. Null: this transport cannot ask. */
  ask: ((method: string, params: object, signal: AbortSignal) => Promise<unknown>) | null;
  /** Sends a request of the proxy to the server, and returns the result. Rejects if no result comes in time. */
  askServer(method: string, params: object): Promise<unknown>;
};

/** `refused`: the frame is the answer. `forward`: the frame goes to the server. */
export type Opened = { kind: 'refused'; frame: string } | { kind: 'forward'; frame: string; call: OpenCall };

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
/** The keys of `_meta` by which a request states its version and its client. */
const OF_PROTOCOL = 'io.modelcontextprotocol/';
const NONE: ReadonlySet<string> = new Set();

export class Session {
  readonly #settings: ProxySettings;
  readonly #seal: Seal;
  readonly #tools = new KnownTools();
  readonly #tasks = new RunningTasks();
  readonly #deferred: DeferredCalls;
  readonly #parked: ParkedCalls;
  /** The capabilities that the client stated in `initialize`. */
  #capabilities: Readonly<Record<string, unknown>> = {};

  constructor(
    settings: ProxySettings,
    { seal = createSeal(), deferred = new DeferredCalls(), parked = new ParkedCalls() } = {},
  ) {
    this.#settings = settings;
    this.#seal = seal;
    this.#deferred = deferred;
    this.#parked = parked;
  }

  /** Reads the facts about the client from a request that passes. */
  notePassing({ method, params }: Request): void {
    if (method === 'initialize') this.#capabilities = fieldsOf(params.value.capabilities);
  }

  /** Reads a notification of the server that passes. */
  noteNotification({ method, params }: Notification): void {
    if (method === 'notifications/tools/list_changed') this.#tools.forget();
    if (method === 'notifications/tasks/status') this.#tasks.noteStatus(params.value);
  }

  /**
   * Decides a governed request.
   *
   * @param signal aborts when the client gives up
   * @throws the reason of the signal
   */
  async open(
    request: GovernedRequest,
    caller: Caller,
    link: ClientLink,
    signal: AbortSignal,
  ): Promise<Opened> {
    const { id, method, params } = request;
    const refused = (refusal: Refusal): Opened => ({ kind: 'refused', frame: answerOf(request, refusal) });
    const read = subjectOf(request, this.#settings.prefix);
    if (!read.ok) {
      const message = `${read.why} Send a call that has only one meaning.`;
      return { kind: 'refused', frame: errorFrame(id, { code: INVALID_PARAMS, message }) };
    }
    const { subject } = read;
    const digest = digestOf(caller, subject);
    const sealed = params.value.requestState;
    const state = typeof sealed === 'string' ? this.#seal.open(sealed, digest) : null;
    const serverState = state === null ? undefined : { state: state.server };
    const parked = state?.callId === undefined ? null : this.#parked.take(state.callId);
    if (parked !== null) {
      const { signal: stop } = parked.running;
      if (stop.aborted) return refused(stopOf(parked));
      return { kind: 'forward', frame: frameOf(request, parked, serverState), call: parked };
    }
    const meta = fieldsOf(params.value._meta);
    const tool = method === 'tools/call' ? await this.#find(request, link) : null;
    const unpinned = method === 'tools/call' ? await this.#unpinned(String(params.value.name), tool) : null;
    if (unpinned !== null) return refused(unpinned);
    const key = meta['mandate/idempotencyKey'];
    const hints = this.#settings.usesHints ? hintsOf(tool) : null;
    const decided = await decideCall(
      subject,
      {
        ...{ caller, settings: this.#settings, deferred: this.#deferred, hints },
        risk: this.#settings.usesHints && method === 'tools/call' ? riskOfHints(hints ?? {}) : null,
        idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
        actionId: state?.actionId ?? null,
      },
      this.#waiting(request, link, signal),
    );
    if (decided.kind === 'refused') {
      const { refusal, actionId } = decided;
      const asks = this.#askInResult(request, refusal, { actionId, digest, isRetry: state !== null });
      return asks === null ? refused(refusal) : { kind: 'refused', frame: asks };
    }
    const { running } = decided;
    const call = {
      ...{ callId: randomUUID(), digest, method, running, hasBegun: false },
      // A second request would start a second task.
      mayRepeat: mayRepeat(hints, running.decision) && params.value.task === undefined,
      fillsIn: Object.keys(running.args).some((key) => !Object.hasOwn(subject.args, key)),
      units: request.text.length,
    };
    return { kind: 'forward', frame: frameOf(request, call, serverState), call };
  }

  /** Reads the answer of the server to a call. Returns the message for the client. */
  answered(call: OpenCall, response: Response): string {
    const answer: Answered = readAnswer(call, response, this.#seal);
    if (answer.kind === 'needs-input') {
      call.hasBegun = true;
      this.#parked.keep(call);
    }
    if (answer.kind === 'task') this.#tasks.add(answer.taskId, call);
    return answer.text;
  }

  /** Returns the answer to a call that Mandate stopped while it ran. */
  stopped(request: GovernedRequest, call: OpenCall): string {
    return answerOf(request, stopOf(call));
  }

  /** Returns the answer to a call after its server has ended. The effect of the call is unknown. */
  lost(request: GovernedRequest, why: string): string {
    const refusal = ownRefusal(
      'SERVER_GAVE_NO_ANSWER',
      `${why} The call may have had its effect.`,
      'Check what it did before you call again.',
    );
    return answerOf(request, refusal);
  }

  /** Returns the message for the client after the answer to a request that was passed on. */
  async passing(request: Request, response: Response, caller: Caller): Promise<string> {
    const { method, params } = request;
    if (response.isError) return response.text;
    if (method === 'tasks/get' || method === 'tasks/cancel') this.#tasks.noteStatus(response.result?.value);
    const { taskId } = params.value;
    if (method === 'tasks/result' && typeof taskId === 'string')
      this.#tasks.noteResult(taskId, response.result?.value);
    if (!isList(method)) return response.text;
    const page = method === 'tools/list' ? this.#tools.note(response.result?.value) : [];
    const { filtersLists, pins, prefix } = this.#settings;
    try {
      const changed = pins === null || page.length === 0 ? NONE : await pins.check(page);
      if (!filtersLists && changed.size === 0) return response.text;
      const mayUse = filtersLists ? caller.permits : permitsAll;
      return await filterList(method, response, { mayUse, prefix, changed });
    } catch (error) {
      const message = `The list cannot be shown, because it is not known what the policies allow. ${sentence(error)}`;
      return errorFrame(request.id, { code: INTERNAL, message });
    }
  }

  /** Returns the tool of a call. If no list has named it yet, the proxy requests the list. */
  async #find({ params }: Request, link: ClientLink): Promise<KnownTool | null> {
    const { usesHints, pins } = this.#settings;
    if (!usesHints && pins === null) return null;
    const { progressToken: _token, ...meta } = fieldsOf(params.value._meta);
    const _meta = Object.fromEntries(Object.entries(meta).filter(([name]) => name.startsWith(OF_PROTOCOL)));
    const stated = Object.keys(_meta).length === 0 ? {} : { _meta };
    return this.#tools.find(String(params.value.name), (page) =>
      link.askServer('tools/list', { ...page, ...stated }),
    );
  }

  /** Returns the refusal of a tool with a definition that differs from the pinned one. Null: the tool may be used. */
  async #unpinned(name: string, tool: KnownTool | null): Promise<Refusal | null> {
    const { pins } = this.#settings;
    if (pins === null) return null;
    if (tool === null)
      return ownRefusal(
        'TOOL_NOT_LISTED',
        `The server lists no tool "${name}", so its definition is not pinned.`,
        'Use a tool of the list.',
      );
    try {
      if (!(await pins.check([tool])).has(name)) return null;
    } catch (error) {
      return ownRefusal(
        'PINS_UNUSABLE',
        sentence(error),
        'Ask the operator of the agent to correct the file.',
      );
    }
    return ownRefusal(
      'TOOL_CHANGED',
      `The server has changed the definition of the tool "${name}" since it was pinned.`,
      'Ask a person to compare the definitions, and to accept the new one: `mandate mcp pins`.',
    );
  }

  #waiting(request: Request, link: ClientLink, signal: AbortSignal): Waiting {
    const { progressToken } = fieldsOf(request.params.value._meta);
    const hasToken = typeof progressToken === 'string' || typeof progressToken === 'number';
    const { ask } = link;
    const canShow = ask !== null && !isModern(request) && showsAddresses(this.#capabilities);
    let progress = 0;
    return {
      signal,
      waits(message) {
        if (!hasToken) return;
        progress += 1;
        link.send(notificationFrame('notifications/progress', { progressToken, progress, message }));
      },
      show: !canShow
        ? null
        : async ({ approvalId, text, url }) => {
            const params = { mode: 'url', elicitationId: approvalId, url, message: text };
            const answer = await ask('elicitation/create', params, signal);
            return fieldsOf(answer).action === 'accept';
          },
    };
  }

  /**
   * In the new era a server cannot ask the client. Instead the result names the needed input, and the client makes the
   * call again. Null: the client gets the refusal.
   */
  #askInResult(
    request: Request,
    { approvalId, text }: Refusal,
    { actionId, digest, isRetry }: { actionId: string; digest: string; isRetry: boolean },
  ): string | null {
    if (!isModern(request) || approvalId === null || this.#settings.defer !== 'elicit' || isRetry)
      return null;
    const url = this.#settings.approvalUrl?.(approvalId);
    const meta = fieldsOf(request.params.value._meta);
    if (url === undefined || !showsAddresses(fieldsOf(meta['io.modelcontextprotocol/clientCapabilities'])))
      return null;
    const params = { mode: 'url', elicitationId: approvalId, url, message: text };
    return resultFrame(request.id, {
      resultType: 'input_required',
      inputRequests: { approval: { method: 'elicitation/create', params } },
      requestState: this.#seal.seal({ actionId }, digest),
    });
  }
}

function answerOf(request: GovernedRequest, refusal: Refusal): string {
  const { id, method } = request;
  return refusalFrame({ id, method, isModern: isModern(request) }, refusal);
}

/** True if the request is of the era of 2026-07-28 or later. */
function isModern({ params }: Request): boolean {
  return typeof fieldsOf(params.value._meta)['io.modelcontextprotocol/protocolVersion'] === 'string';
}

function showsAddresses(capabilities: Readonly<Record<string, unknown>>): boolean {
  return fieldsOf(capabilities.elicitation).url !== undefined;
}

function stopOf({ running }: OpenCall): Refusal {
  const reason: unknown = running.signal.reason;
  const message = reason instanceof Error ? reason.message : 'The call was stopped.';
  const code = String((reason as { code?: unknown } | undefined)?.code ?? 'STOPPED');
  return { code, text: message, retryAfterMs: null, approvalId: null };
}

const permitsAll: Caller['permits'] = async (tools) => tools.map(() => true);

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
