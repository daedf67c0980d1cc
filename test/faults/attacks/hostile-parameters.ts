/**
 * Hostile text in every input: each parameter of each path and query, each header that the server reads, and each
 * text of each body. The inputs come from the OpenAPI document of the plane.
 */
import { request } from 'node:http';
import {
  type Described,
  type OpenApi,
  operationsOf,
  requiredValues,
  urlOf,
} from '../../e2e/interface/described.ts';
import type { Attack } from './attack.ts';

/** The texts. In a URL, their UTF-8 bytes are percent-encoded. */
const TEXTS: Readonly<Record<string, string>> = {
  'a euro sign': '€',
  'line breaks': 'a\r\nx-injected: 1\r\n\r\nHTTP/1.1 200 OK',
  'a line feed': 'a\nx-injected: 1',
  'a carriage return': 'a\rb',
  NUL: 'a\0b',
  'a percent sign': '%',
  'a percent sign and more': '%zz%',
  'half a character': 'a\ud800b',
  'a separator of lines': '\u2028',
  'text from right to left': '\u202egnp.exe',
  'an emoji': '😀',
  nothing: '',
  'a blank': ' ',
  'quotes and ends': `'"\`;--</script>\\`,
  'a path': '../../etc/passwd',
  'a prototype': '__proto__',
  'a number too large': '99999999999999999999999',
  'no number': 'NaN',
  'a long text': 'x'.repeat(5_000),
};
/** Bytes in a URL that no text gives: invalid UTF-8, or invalid percent-encoding. */
const RAW: Readonly<Record<string, string>> = {
  'half a character, in bytes': '%ED%A0%80',
  'bytes that are not UTF-8': '%ff%fe',
  'a percent sign as it is': '%',
  'half an encoding': '%e2%82',
  'NUL as an overlong encoding': '%c0%80',
};

/** The headers that the server or one of its libraries might read. */
const HEADERS = [
  ...[
    'accept',
    'accept-encoding',
    'content-encoding',
    'content-type',
    'cookie',
    'expect',
    'forwarded',
    'host',
  ],
  ...['idempotency-key', 'if-match', 'if-none-match', 'last-event-id', 'origin', 'range', 'traceparent'],
  ...['tracestate', 'transfer-encoding', 'user-agent', 'x-api-key', 'x-forwarded-for', 'x-request-id'],
];
/**
 * The hostile texts in the form for headers. Each byte of a text's UTF-8 is sent as one Latin-1 letter. Line breaks
 * and NUL are left out, because Node does not send them in a header.
 */
const HEADER_TEXTS: Readonly<Record<string, string>> = {
  'a euro sign': Buffer.from('€').toString('latin1'),
  'bytes that are not UTF-8': 'a\xff\xfe',
  'a percent sign': '%0d%0ax-injected: 1',
  'a tab': 'a\tb',
  nothing: '',
  'a long text': 'x'.repeat(5_000),
  'a list of nothing': ',,;=,',
};

export type HostileRequest = {
  operation: Described;
  /** Says which part of the request is hostile. */
  what: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
};

export type HostileAnswer = {
  status: number;
  /** The headers and trailers in the order in which they arrived: a name, its value, the next name, and so on. */
  rawHeaders: readonly string[];
  contentType: string;
  body: string;
};

export async function describedBy(url: string): Promise<OpenApi> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
}

/**
 * @param all if true, each input gets every text; otherwise each input gets a few texts, by turns
 * @param every for example 4: only every fourth request is returned
 */
export function* hostileRequests(
  document: OpenApi,
  { all, every = 1 }: { all: boolean; every?: number },
): Generator<HostileRequest> {
  let count = 0;
  for (const request of eachRequest(document, all)) {
    if (count % every === 0) yield request;
    count += 1;
  }
}

function* eachRequest(document: OpenApi, all: boolean): Generator<HostileRequest> {
  const chosen = all ? (texts: readonly Text[]) => texts : inTurn();
  for (const operation of operationsOf(document)) {
    yield* inUrl(operation, chosen);
    yield* inHeaders(operation, chosen);
    yield* inBody(operation, chosen);
  }
}

type Text = readonly [what: string, text: string];
type Choose = (texts: readonly Text[], many: number) => readonly Text[];

/** Returns a function that chooses `many` of the texts. Each call chooses the next ones. */
function inTurn(): Choose {
  let turn = 0;
  return (texts, many) => Array.from({ length: many }, () => texts[turn++ % texts.length] ?? ['nothing', '']);
}

const MARK = 'hostile-value';
const ENCODED = Object.entries(TEXTS).map(
  ([what, text]): Text => [what, encodeURIComponent(text.toWellFormed())],
);
const [euro = ['', ''], lineBreaks = ['', ''], ...others] = ENCODED;
/** The texts that once broke a header. Every parameter gets them. */
const WORST_IN_URL: readonly Text[] = [euro, lineBreaks];
const IN_URL: readonly Text[] = [...others, ...Object.entries(RAW)];

function* inUrl(operation: Described, chosen: Choose): Generator<HostileRequest> {
  for (const { name, in: place } of operation.parameters ?? []) {
    const url = urlOf(operation, new Map([...requiredValues(operation), [name, MARK]]));
    for (const [what, text] of [...WORST_IN_URL, ...chosen(IN_URL, 1)]) {
      const path = url.replace(MARK, () => text);
      yield { ...plainly(operation), what: `${what} in ${place} ${name}`, path };
    }
  }
}

function* inHeaders(operation: Described, chosen: Choose): Generator<HostileRequest> {
  const plain = plainly(operation);
  const ofHeaders = HEADERS.flatMap((name) =>
    Object.entries(HEADER_TEXTS).map(([what, text]): Text => [`${what} in header ${name}`, text]),
  );
  for (const [what, text] of chosen(ofHeaders, 7)) {
    const name = what.split(' ').at(-1) ?? '';
    yield { ...plain, what, headers: { ...plain.headers, [name]: text } };
  }
}

function* inBody(operation: Described, chosen: Choose): Generator<HostileRequest> {
  const example = exampleOf(operation);
  if (example === null) return;
  for (const [place, put] of textsIn(example, '')) {
    for (const [what, text] of chosen(Object.entries(TEXTS), 3))
      yield { ...plainly(operation), what: `${what} in body ${place}`, body: JSON.stringify(put(text)) };
  }
}

/** Returns the ordinary request of the operation, without hostile text. */
function plainly(operation: Described): HostileRequest {
  const example = exampleOf(operation);
  return {
    operation,
    what: 'nothing',
    path: urlOf(operation, requiredValues(operation)),
    headers: example === null ? {} : { 'content-type': 'application/json' },
    body: example === null ? null : JSON.stringify(example),
  };
}

function exampleOf({ requestBody }: Described): unknown {
  const content = requestBody?.content['application/json'];
  if (content === undefined) return null;
  const [named] = Object.values(content.examples ?? {}) as { value?: unknown }[];
  return content.example ?? named?.value ?? named ?? {};
}

/** Yields each text and each name in a JSON value, with a function that replaces it. */
function* textsIn(value: unknown, place: string): Generator<[place: string, put: (text: string) => unknown]> {
  if (typeof value === 'string') yield [place, (text) => text];
  if (Array.isArray(value)) {
    for (const [at, element] of value.entries())
      for (const [within, put] of textsIn(element, `${place}/${at}`))
        yield [within, (text) => value.with(at, put(text))];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...others } = value as Record<string, unknown>;
      yield [`${place}/${name} as a name`, (text) => ({ ...others, [text]: member })];
      for (const [within, put] of textsIn(member, `${place}/${name}`))
        yield [within, (text) => ({ ...others, [name]: put(text) })];
    }
  }
}

const ENDLESS = 'text/event-stream';
const GIVEN_UP_MS = 60_000;

/** Sends the request. If the answer is endless, only its beginning is read. */
export function send(
  url: string,
  key: string | null,
  { operation, path, headers, body }: HostileRequest,
): Promise<HostileAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: hostname,
      port,
      method: operation.method,
      path,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers, connection: 'close' },
      signal: AbortSignal.timeout(GIVEN_UP_MS),
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const contentType = answer.headers['content-type'] ?? '';
      let text = '';
      const done = () => {
        const rawHeaders = [...answer.rawHeaders, ...answer.rawTrailers];
        resolve({ status: answer.statusCode ?? 0, rawHeaders, contentType, body: text });
        sent.destroy();
      };
      answer.on('error', reject);
      answer.on('end', done);
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
      });
      if (contentType.startsWith(ENDLESS)) done();
    });
    sent.end(body ?? undefined);
  });
}

/** Sends all requests repeatedly, and ignores the answers. */
export const hostileParameters: Attack = async ({ url, keys }, until) => {
  const document = await describedBy(url);
  while (!until.aborted) {
    let asked = 0;
    for (const hostile of hostileRequests(document, { all: true })) {
      if (until.aborted) return;
      await send(url, keys[asked++ % keys.length] ?? null, hostile).catch(() => {});
    }
  }
};
