/** Calls the routes of the plane. The browser adds the cookie of the session by itself. */
import { noteRead } from './reads.ts';

/** A refusal of the plane, or no answer at all (`status` 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly remedy: string;
  readonly requestId: string | null;
  /** The effect of the request despite the refusal: the whole answer of a kill that is in force. */
  readonly kill: unknown;

  constructor(
    status: number,
    code: string,
    message: string,
    remedy: string,
    requestId: string | null = null,
    kill: unknown = null,
  ) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.remedy = remedy;
    this.requestId = requestId;
    this.kill = kill;
  }
}

export type Sending = {
  body?: unknown;
  /** An API key for this request only. Only the sign-in sends one. */
  key?: string;
  /** An idempotency key: the request counts once, even if it is sent again with the same text. */
  idempotencyKey?: string;
  ifMatch?: string;
};

export type Answer<Body> = { body: Body; etag: string | null; tookMs: number };

/** Throws ApiProblem if the plane refuses, and if no answer comes within 30 s. */
export async function send<Body>(method: string, path: string, sending: Sending = {}): Promise<Answer<Body>> {
  const { body, key, idempotencyKey, ifMatch } = sending;
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (ifMatch !== undefined) headers.set('if-match', ifMatch);
  const began = performance.now();
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      ...{ method, headers, credentials: 'same-origin', signal: AbortSignal.timeout(30_000) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch {
    throw new ApiProblem(0, 'AWAY', 'the plane does not answer', 'Check that it runs, then try again.');
  }
  if (method === 'GET') noteRead(path);
  const requestId = response.headers.get('x-request-id');
  if (!response.ok) throw problemIn(response.status, text, requestId);
  return {
    body: (text === '' ? null : JSON.parse(text)) as Body,
    etag: response.headers.get('etag'),
    tookMs: performance.now() - began,
  };
}

export async function get<Body>(path: string): Promise<Body> {
  return (await send<Body>('GET', path)).body;
}

function problemIn(status: number, text: string, requestId: string | null): ApiProblem {
  try {
    const { code, detail, title, remedy = '', kill } = JSON.parse(text);
    return new ApiProblem(status, String(code), String(detail ?? title), String(remedy), requestId, kill);
  } catch {
    return new ApiProblem(
      status,
      'UNREADABLE',
      `the answer has status ${status} and no problem document`,
      '',
    );
  }
}

/**
 * Returns `path?name=value&…`. Values that are absent, empty or false are left out. A list repeats its name for each
 * item.
 */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === '' || value === false) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
