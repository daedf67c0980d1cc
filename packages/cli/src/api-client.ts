/**
 * Speaks to a running plane over HTTP: to its gateway and, for what lies under /v1/audit and /v1/alerts, and for what waits for a
 * person, to its query service and its alerter, and for agents, policies, rules and keys to its control service, which may have other addresses. A
 * problem document becomes a failure that says what to do.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './exit-codes.ts';
import { forPeople } from './output/for-people.ts';

export type ApiClient = {
  readonly url: string;
  get<T = unknown>(path: string, query?: Query): Promise<T>;
  post<T = unknown>(path: string, body?: unknown, options?: PostOptions): Promise<T>;
  put<T = unknown>(path: string, body: unknown, options?: ChangeOptions): Promise<T>;
  delete<T = unknown>(path: string, options?: ChangeOptions): Promise<T>;
  /** Posts JSON as somebody wrote it: read and written again, it could lose what only a strict reader notices. */
  postText<T = unknown>(path: string, json: string, options?: PostOptions): Promise<T>;
  /** An answer that takes as long as it takes, as it comes. It ends with an error where the connection is lost. */
  stream(path: string, query: Query, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The same with what is said behind the bytes, which `fetch` keeps to itself: `trailers`, when all have come. */
  download(
    path: string,
    query: Query,
  ): Promise<{ bytes: Readable; trailers(): Readonly<Record<string, string | undefined>> }>;
};

/** A list is said once for each of its values. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

type PostOptions = {
  query?: Query;
  /** Makes a command that is sent again count once. */
  idempotencyKey?: string | undefined;
};

/** `revision`: of what is changed, as it was seen; 0 where it is not there yet. */
type ChangeOptions = { query?: Query; revision?: number };

export const DEFAULT_URL = 'http://127.0.0.1:7420';

/** Longer than the longest wait for a decision. */
const TIMEOUT_MS = 90_000;

/** @param options queryUrl, alerterUrl, controlUrl: where those are apart from the gateway, at `url` */
export function createApiClient(options: {
  url: string;
  queryUrl?: string | undefined;
  alerterUrl?: string | undefined;
  controlUrl?: string | undefined;
  key: string | undefined;
  signal?: AbortSignal;
}): ApiClient {
  const { url: gateway, key, signal } = options;
  const { queryUrl: query = gateway, alerterUrl: alerter = gateway, controlUrl: control = gateway } = options;
  const addresses = { gateway, query, alerter, control };
  const headers = {
    accept: 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };

  async function call<T>(path: string, query: Query, request: RequestInit): Promise<T> {
    const service = serviceOf(path);
    const url = addresses[service];
    const target = targetOf(url, path, query);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const until = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    let response: Response;
    let text: string;
    try {
      response = await fetch(target, {
        ...request,
        headers: { ...headers, ...request.headers },
        signal: until,
      });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw unreachable(url, timeout.aborted);
    }
    const answer = parsed(text);
    if (!response.ok) throw problemOf({ url, service }, response.status, answer);
    if (answer === undefined) throw notAPlane(url);
    // The server's own schema has shaped the answer; a command only shows it.
    return answer as T;
  }

  async function stream(path: string, query: Query, more: Readonly<Record<string, string>> = {}) {
    const service = serviceOf(path);
    const url = addresses[service];
    const request = { headers: { ...headers, ...more }, ...(signal === undefined ? {} : { signal }) };
    const response = await fetch(targetOf(url, path, query), request).catch((error: unknown) => {
      throw signal?.aborted ? error : unreachable(url, false);
    });
    if (response.ok) return response;
    throw problemOf({ url, service }, response.status, parsed(await response.text()));
  }

  async function download(path: string, query: Query) {
    const service = serviceOf(path);
    const url = addresses[service];
    const target = targetOf(url, path, query);
    const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(target, { headers, ...(signal === undefined ? {} : { signal }) }, resolve)
        .on('error', (error) => reject(signal?.aborted ? error : unreachable(url, false)))
        .end();
    });
    const { statusCode = 0 } = answer;
    if (statusCode !== 200) throw problemOf({ url, service }, statusCode, parsed(await text(answer)));
    return { bytes: answer, trailers: () => answer.trailers };
  }

  const send = <T>(path: string, json: string | undefined, { query = {}, idempotencyKey }: PostOptions) =>
    call<T>(path, query, {
      method: 'POST',
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
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

function targetOf(url: string, path: string, query: Query): URL {
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(query)) {
    for (const one of value === undefined ? [] : [value].flat())
      target.searchParams.append(name, String(one));
  }
  return target;
}

type Service = 'gateway' | 'query' | 'alerter' | 'control';

/** Of agents the gateway has what stops them. */
const CONTROL =
  /^\/v1\/(?:policies|rules|mandates|tenants|keys|lint|agents(?!\/[^/]+\/(?:kill|revive|kill-status)$))(?:\/|$)/;

/** Of approvals it has what waits; the gateway takes the answers. */
const QUERY = /^\/v1\/(?:audit\/|approvals(?:\/[^/]+)?$)/;

function serviceOf(path: string): Service {
  if (path.startsWith('/v1/alerts')) return 'alerter';
  if (CONTROL.test(path)) return 'control';
  return QUERY.test(path) ? 'query' : 'gateway';
}

/** A refusal of the plane, as a problem document told it. */
export class ApiProblem extends CommandFailure {
  readonly status: number;
  readonly code: string;
  /** Of several faults: which of the records that were sent, and what is wrong with each. */
  readonly faults: readonly Fault[];

  constructor(problem: {
    status: number;
    code: string;
    detail: string;
    remedy: string;
    faults: readonly Fault[];
  }) {
    const { status, code, detail, remedy, faults } = problem;
    super(OURS.has(status) || status >= 500 ? 1 : 2, `${detail} (${code})`, remedy);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

/** Refusals that are nobody's slip: the same may be right later. */
const OURS: ReadonlySet<number> = new Set([408, 409, 429]);

export type Fault = { index?: number; line?: number; pointer?: string; detail?: string };

function problemOf(
  { url, service }: { url: string; service: Service },
  status: number,
  answer: unknown,
): CommandFailure {
  const problem: Readonly<Record<string, unknown>> =
    typeof answer === 'object' && answer !== null ? { ...answer } : {};
  const { code, detail, remedy, errors } = problem;
  if (typeof code !== 'string' || typeof detail !== 'string') return notAPlane(url, status);
  if (code === 'NOT_FOUND') return anotherService(url, service);
  const advice = status === 401 ? HOW_TO_AUTHENTICATE : typeof remedy === 'string' ? remedy : '';
  const faults: readonly Fault[] = Array.isArray(errors) ? errors : [];
  return new ApiProblem({ status, code, detail: forPeople(detail), remedy: forPeople(advice), faults });
}

export const HOW_TO_AUTHENTICATE =
  'Put one into MANDATE_API_KEY (`mandate up` shows the first ones, once; `mandate keys issue` makes more).';

/** What answers knows nothing of the kind. */
export class MissingRoute extends CommandFailure {}

/** A route that a service lacks is one of another service: of a plane in one process no command misses any. */
function anotherService(url: string, wanted: Service): CommandFailure {
  const [what, where] = WHERE_IT_IS[wanted];
  return new MissingRoute(
    1,
    `what answers at ${url} is no ${what}, which this takes (NOT_FOUND)`,
    `Say where the ${what} is ${where}.`,
  );
}

const ITS_OWN = 'on a plane of several processes it has an address of its own';
const WHERE_IT_IS = {
  gateway: [
    'gateway',
    'with --url or MANDATE_URL, and where the query service is with --query-url or MANDATE_QUERY_URL',
  ],
  query: ['query service', `with --query-url or MANDATE_QUERY_URL: ${ITS_OWN}`],
  alerter: ['alerter', `with --alerter-url or MANDATE_ALERTER_URL: ${ITS_OWN}`],
  control: ['control service', `with --control-url or MANDATE_CONTROL_URL: ${ITS_OWN}`],
} as const;

function unreachable(url: string, timedOut: boolean): CommandFailure {
  if (timedOut) {
    return new CommandFailure(
      1,
      `${url} did not answer within ${TIMEOUT_MS / 1_000} s`,
      `Look at ${url}/readyz.`,
    );
  }
  return new CommandFailure(
    1,
    `no plane answers at ${url}`,
    'Start it with `mandate up`, or say where it is with --url or MANDATE_URL.',
  );
}

function notAPlane(url: string, status?: number): CommandFailure {
  const said = status === undefined ? 'not with JSON' : `with HTTP status ${status}`;
  return new CommandFailure(
    1,
    `what answers at ${url} is no plane of Mandate: it answered ${said}`,
    'Say where the plane is with --url or MANDATE_URL.',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
