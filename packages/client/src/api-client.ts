/**
 * Requests to the services of a plane. Each failure is an `ApiError`, except when the caller's own signal aborts the
 * request.
 */
import { ApiError, errorOfAnswer, notAPlane, timedOut, unreachable } from './api-error.ts';
import type { Download } from './download.ts';
import { type Service, serviceOf } from './services.ts';

export type ApiClient = {
  readonly url: string;
  get<T = unknown>(path: string, query?: Query): Promise<T>;
  post<T = unknown>(path: string, body?: unknown, options?: PostOptions): Promise<T>;
  put<T = unknown>(path: string, body: unknown, options?: ChangeOptions): Promise<T>;
  delete<T = unknown>(path: string, options?: ChangeOptions): Promise<T>;
  /** Posts JSON text unchanged. Parsing the text here could hide faults that only a strict reader notices. */
  postText<T = unknown>(path: string, json: string, options?: PostOptions): Promise<T>;
  /** Returns a long answer while it arrives. Reading throws if the connection is lost. */
  stream(path: string, query: Query, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Returns a long answer and its trailers. Works only in Node. */
  download(path: string, query: Query): Promise<Download>;
};

/** The parameters of a request. A list becomes one parameter for each value. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

type PostOptions = {
  query?: Query;
  /** The revision of the document that the caller saw; 0 if the document did not exist. */
  revision?: number | undefined;
  /** If a command is sent again with the same key, the service carries it out once. */
  idempotencyKey?: string | undefined;
};

/** `revision` is the revision of the document that the caller saw; 0 if the document did not exist. */
type ChangeOptions = { query?: Query; revision?: number };

export const DEFAULT_URL = 'http://127.0.0.1:7420';

/** The longest time for a request. It exceeds the longest wait for a decision. */
const TIMEOUT_MS = 90_000;

/**
 * @param options.queryUrl the address of the query service, if it differs from `url`, which is the address of the
 * gateway. The same applies to the other addresses
 * @param options.failure converts an `ApiError` to the error that is thrown, for a program with its own errors
 */
export function createApiClient(options: {
  url: string;
  queryUrl?: string | undefined;
  alerterUrl?: string | undefined;
  controlUrl?: string | undefined;
  runnerUrl?: string | undefined;
  key: string | undefined;
  signal?: AbortSignal;
  failure?: (error: ApiError) => Error;
}): ApiClient {
  const { url: gateway, key, signal, failure = (error) => error } = options;
  const { queryUrl: query = gateway, alerterUrl: alerter = gateway } = options;
  const { controlUrl: control = gateway, runnerUrl: runner = gateway } = options;
  const addresses = { gateway, query, alerter, control, runner };
  const headers = {
    accept: 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const abortable = signal === undefined ? {} : { signal };

  /**
   * Sends a request to the service that has the path. If the caller's own signal aborts, that abort is thrown
   * unchanged.
   */
  async function ask<T>(
    path: string,
    query: Query,
    send: (target: URL, asked: { url: string; service: Service }) => Promise<T>,
  ): Promise<T> {
    const service = serviceOf(path);
    const asked = { url: addresses[service], service };
    const target = targetOf(asked.url, path, query);
    try {
      return await send(target, asked);
    } catch (error) {
      if (error instanceof ApiError) throw failure(error);
      throw signal?.aborted ? error : failure(unreachable(asked));
    }
  }

  const call = <T>(path: string, query: Query, request: RequestInit): Promise<T> =>
    ask(path, query, async (target, asked) => {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const until = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
      const [response, text] = await answerOf(target, {
        ...request,
        headers: { ...headers, ...request.headers },
        signal: until,
      }).catch((error: unknown) => {
        throw timeout.aborted && !signal?.aborted ? timedOut(asked, TIMEOUT_MS) : error;
      });
      const answer = parsed(text);
      if (!response.ok) throw errorOfAnswer(asked, response.status, answer);
      if (answer === undefined) throw notAPlane(asked);
      // The answer is not checked here, because the server checks its answers against its own schema.
      return answer as T;
    });

  const stream = (path: string, query: Query, more: Readonly<Record<string, string>> = {}) =>
    ask(path, query, async (target, asked) => {
      const response = await fetch(target, { headers: { ...headers, ...more }, ...abortable });
      if (response.ok) return response;
      throw errorOfAnswer(asked, response.status, parsed(await response.text()));
    });

  const download = (path: string, query: Query) =>
    ask(path, query, async (target, asked) => {
      const { requestDownload } = await import('./download.ts');
      const answer = await requestDownload(target, { headers, ...abortable });
      if (answer.status === 200) return answer.download;
      throw errorOfAnswer(asked, answer.status, parsed(await answer.text()));
    });

  const send = <T>(
    path: string,
    json: string | undefined,
    { query = {}, revision, idempotencyKey }: PostOptions,
  ) =>
    call<T>(path, query, {
      method: 'POST',
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(revision === undefined ? {} : ifRevision(revision)),
      },
      ...(json === undefined ? {} : { body: json }),
    });

  const change = <T>(method: string, path: string, json: string | null, options: ChangeOptions = {}) =>
    call<T>(path, options.query ?? {}, {
      method,
      headers: {
        ...(json !== null && { 'content-type': 'application/json' }),
        ...(options.revision !== undefined && { 'if-match': `"${options.revision}"` }),
      },
      body: json,
    });

  return {
    url: gateway,
    get: (path, query = {}) => call(path, query, { method: 'GET' }),
    post: (path, body, options = {}) => send(path, JSON.stringify(body), options),
    postText: (path, json, options = {}) => send(path, json, options),
    put: (path, body, options) => change('PUT', path, JSON.stringify(body), options),
    delete: (path, options) => change('DELETE', path, null, options),
    stream,
    download,
  };
}

function ifRevision(revision: number): Record<string, string> {
  return revision === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${revision}"` };
}

async function answerOf(target: URL, request: RequestInit): Promise<[Response, string]> {
  const response = await fetch(target, request);
  return [response, await response.text()];
}

function targetOf(url: string, path: string, query: Query): URL {
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(query)) {
    for (const one of value === undefined ? [] : [value].flat())
      target.searchParams.append(name, String(one));
  }
  return target;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
