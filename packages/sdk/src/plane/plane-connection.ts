/**
 * Requests to the gateway of a plane. `fetch` keeps connections open between requests. A request is sent again with the
 * same body while the plane does not answer, or answers that it is busy. So each body must be safe to repeat.
 */
import { MandateError } from '@mandate/runtime/errors';
import { Backoff, sleep } from '../backoff.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { instanceClosed } from '../errors.ts';
import type { PlaneSettings } from './plane-options.ts';

export type PlaneRequest = {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  /** The idempotency key: a service carries out a command once for each key. */
  idempotencyKey?: string;
  /** Gives the request up. */
  signal?: AbortSignal;
};

/** `body` is the JSON of the answer. `tries`: how often the request was sent. */
export type PlaneAnswer = { status: number; body: unknown; retryAfterMs: number | null; tries: number };

/** The plane is away or busy. A later request can succeed. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** The pauses between two tries of a request. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** How long the plane may take for an answer, beyond the time for which a request asks it to wait. */
const ANSWER_MS = 5_000;

export class PlaneConnection {
  readonly #settings: PlaneSettings;
  readonly #closing = new AbortController();

  constructor(settings: PlaneSettings) {
    this.#settings = settings;
  }

  get url(): string {
    return this.#settings.url;
  }

  /** How long a request may take, with all retries. */
  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  /** Aborts when the connection is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
  }

  /**
   * Sends a request again until the plane gives a lasting answer.
   *
   * @param requestOf makes the request for the time that is left, in milliseconds
   * @param untilMs by `performance.now()`
   * @throws MandateError PLANE_UNAVAILABLE if there is no such answer in time
   */
  async request(requestOf: (leftMs: number) => PlaneRequest, untilMs: number): Promise<PlaneAnswer> {
    let last = 'it did not answer';
    const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
    for (let tries = 1; ; tries += 1) {
      const leftMs = Math.ceil(untilMs - performance.now());
      if (leftMs <= 0) throw planeUnavailable(this.url, last);
      const request = requestOf(leftMs);
      let waitMs = backoff.nextMs();
      try {
        const answer = await this.send(request, leftMs);
        if (!PASSING.has(answer.status)) return { ...answer, tries };
        last = sayRefusal(answer);
        waitMs = Math.max(waitMs, answer.retryAfterMs ?? 0);
      } catch (error) {
        if (this.closed.aborted || request.signal?.aborted) throw error;
        last = sayFailure(error);
      }
      if (performance.now() + waitMs >= untilMs) throw planeUnavailable(this.url, last);
      await sleep(waitMs, this.closed);
    }
  }

  /** Sends a request once. Throws if no answer comes within `timeoutMs`. */
  async send(
    { method, path, body, idempotencyKey, signal }: PlaneRequest,
    timeoutMs = ANSWER_MS,
  ): Promise<PlaneAnswer> {
    const init = {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const ends = [AbortSignal.timeout(timeoutMs), this.closed, ...(signal ? [signal] : [])];
    const response = await this.#fetch(path, init, AbortSignal.any(ends));
    const afterS = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      body: parsed(await response.text()),
      retryAfterMs: Number.isFinite(afterS) ? afterS * 1_000 : null,
      tries: 1,
    };
  }

  /** Opens a stream of server-sent events. */
  openStream(path: string, signal: AbortSignal): Promise<Response> {
    const headers = { accept: 'text/event-stream' };
    return this.#fetch(path, { headers }, AbortSignal.any([signal, this.closed]));
  }

  async #fetch(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    if (this.closed.aborted) throw instanceClosed();
    const key = await runUntilAborted(signal, async () => this.#settings.keyOf());
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    // A redirect is not followed, so that the key reaches no other server.
    return fetch(this.url + path, {
      ...init,
      headers: { ...init.headers, ...authorization },
      redirect: 'manual',
      signal,
    });
  }
}

/** Returns the path of a route about an agent. */
export function pathOfAgent(agentId: string, route: string): string {
  return `/v1/agents/${encodeURIComponent(agentId)}/${route}`;
}

/** The problem document of a request that a plane refuses. */
export type Problem = { code: string; detail: string; remedy: string; errors: readonly unknown[] };

/** Reads the problem document of a refusal. Null if the answer does not come from a plane. */
export function problemOf(body: unknown): Problem | null {
  const { code, detail, remedy, errors } = fieldsOf(body);
  if (typeof code !== 'string' || typeof detail !== 'string') return null;
  return {
    code,
    detail,
    remedy: typeof remedy === 'string' ? remedy : '',
    errors: Array.isArray(errors) ? errors : [],
  };
}

/** The gateway's text mentions headers and routes, which a user of the SDK does not write. */
const RIGHT_KEY = 'Set `apiKey`, or MANDATE_API_KEY, to a valid key.';
const RIGHT_ADDRESS = 'Set `planeUrl` to the address of the gateway.';

/** Returns the error for a refusal that no retry changes. */
export function refusalOf(url: string, { status, body }: PlaneAnswer): MandateError {
  const problem = problemOf(body);
  if (problem === null) {
    return new MandateError('NOT_A_PLANE', `The server at ${url} is no plane: HTTP status ${status}.`, {
      remedy: RIGHT_ADDRESS,
    });
  }
  const { code, detail } = problem;
  const remedy = status === 401 ? RIGHT_KEY : code === 'NOT_FOUND' ? RIGHT_ADDRESS : problem.remedy;
  return new MandateError(code, `The plane refused the request: ${detail}.`, { remedy });
}

export function planeUnavailable(url: string, why: string): MandateError {
  return new MandateError('PLANE_UNAVAILABLE', `The plane at ${url} gave no answer in time: ${why}.`, {
    remedy: 'Check that the plane runs, and that `planeUrl` is right. Then try again.',
    retryable: true,
  });
}

export function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
}

function sayRefusal({ status, body }: PlaneAnswer): string {
  return problemOf(body)?.detail ?? `HTTP status ${status}`;
}

/**
 * The error has no stack and no cause, because a framework could mistake the abort of this request for its own abort.
 */
export function sayFailure(error: unknown): string {
  const { code, message } = fieldsOf(fieldsOf(error).cause);
  const words = code ?? message ?? fieldsOf(error).message;
  return typeof words === 'string' ? words : 'the connection failed';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
