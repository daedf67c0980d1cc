/** The behaviours of a client that a caller can observe. A test compares their results with and without a mandate. */
import { collect, waitUntil } from '@mandate/testing';
import type { ModelScript } from '@mandate/testing/model-server';
import type OpenAI from 'openai';
import { type Bench, MODEL } from './clients.fixture.ts';

export type Behaviour = {
  name: string;
  script?: ModelScript;
  run(bench: Bench): unknown;
};

const chat = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hi' }] };
const streamed = { ...chat, stream: true as const };
const slow = { text: Array(40).fill('word '), eventDelayMs: 15 };

function facts(error: unknown) {
  const { name, message, status, code, type, requestID, cause } = error as InstanceType<
    typeof OpenAI.APIError
  >;
  return {
    class: (error as object).constructor.name,
    name,
    message,
    status,
    code,
    type,
    requestID,
    hasCause: cause !== undefined,
  };
}

async function thrownBy(run: () => Promise<unknown>) {
  try {
    await run();
  } catch (error) {
    return facts(error);
  }
  return 'nothing';
}

/** Waits until the server knows that the client went away. The number of events depends on time, so it is not returned. */
async function left({ server }: Bench) {
  await waitUntil('the end of the request', () => server.requests[0]?.state !== 'open');
  const { state, eventsSent = 0 } = server.requests[0] ?? {};
  return { state, isEarly: eventsSent < 40 };
}

async function seenBefore(
  bench: Bench,
  leave: (stream: AsyncIterable<unknown>) => void,
  signal?: AbortSignal,
) {
  const stream = await bench.openai.chat.completions.create(streamed, signal === undefined ? {} : { signal });
  let seen = 0;
  const thrown = await thrownBy(async () => {
    for await (const _ of stream) {
      seen += 1;
      if (seen === 3) leave(stream);
    }
  });
  return { seen, thrown, ...(await left(bench)) };
}

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: 'class and instanceof',
    run: ({ openai, Class }) => [
      openai instanceof Class,
      openai.constructor === Class,
      Object.getPrototypeOf(openai) === Class.prototype,
      String(openai),
    ],
  },
  {
    name: 'keys of the client and of its resources',
    run: ({ openai }) => {
      const enumerated: string[] = [];
      for (const key in openai) enumerated.push(key);
      return [Object.keys(openai), enumerated, Object.keys(openai.chat), Object.keys(openai.responses)];
    },
  },
  {
    name: 'options and headers of a client, and what it sends',
    run: async ({ openai, server }) => {
      const own = openai.withOptions({ defaultHeaders: { 'x-own': 'a' }, organization: 'org' });
      await own.chat.completions.create(chat, { headers: { 'x-call': 'b' } });
      const [{ headers: sent, body } = { headers: {}, body: null }] = server.requests;
      const { host, ...headers } = sent as Record<string, string>;
      const { apiKey, organization, timeout, maxRetries } = own;
      return { apiKey, organization, timeout, maxRetries, headers, body };
    },
  },
  {
    name: 'promise of a call',
    run: async ({ openai }) => {
      const promise = openai.chat.completions.create(chat);
      const methods = ['asResponse', 'withResponse', '_thenUnwrap'].map((name) => name in promise);
      const shape = [promise.constructor.name, promise instanceof Promise, Object.keys(promise), methods];
      let isFinal = false;
      const { choices } = await promise.finally(() => {
        isFinal = true;
      });
      // A second use of the same promise gives the same object.
      const again = await promise;
      return [shape, isFinal, choices, again.choices === choices];
    },
  },
  {
    name: 'withResponse',
    run: async ({ openai, server }) => {
      const { data, response, request_id } = await openai.chat.completions.create(chat).withResponse();
      return {
        data,
        request_id,
        isResponse: response instanceof Response,
        url: response.url.replace(server.url, ''),
        status: [response.status, response.statusText, response.ok, response.redirected, response.type],
        contentType: response.headers.get('content-type'),
        bodyUsed: response.bodyUsed,
      };
    },
  },
  {
    name: 'asResponse, with an unread body',
    run: async ({ openai }) => {
      const response = await openai.chat.completions.create(streamed).asResponse();
      const before = response.bodyUsed;
      const text = await response.clone().text();
      return { before, after: response.bodyUsed, same: text === (await response.text()), text };
    },
  },
  {
    name: 'ids of requests',
    run: async ({ openai }) => [
      (await openai.chat.completions.create(chat))._request_id,
      (await openai.responses.create({ model: MODEL, input: 'Hi' }))._request_id,
      (await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'a' })).object,
    ],
  },
  {
    name: 'chunks of a stream, in pieces of three bytes',
    script: { text: ['a€', '"usage":null', ' 😀'], pieceBytes: 3 },
    run: async ({ openai }) => {
      const stream = await openai.chat.completions.create(streamed);
      return [stream.constructor.name, Object.keys(stream), await collect(stream)];
    },
  },
  {
    name: 'usage in a stream, for a caller who asks for it',
    run: async ({ openai }) =>
      collect(await openai.chat.completions.create({ ...streamed, stream_options: { include_usage: true } })),
  },
  {
    name: 'a stream that is read twice',
    run: async ({ openai }) => {
      const stream = await openai.chat.completions.create(streamed);
      await collect(stream);
      return thrownBy(() => collect(stream));
    },
  },
  {
    name: 'tee',
    run: async ({ openai }) => {
      const [one, other] = (await openai.chat.completions.create(streamed)).tee();
      return Promise.all([collect(one), collect(other)]);
    },
  },
  {
    name: 'toReadableStream',
    run: async ({ openai }) => {
      const stream = await openai.chat.completions.create(streamed);
      return new Response(stream.toReadableStream()).text();
    },
  },
  {
    name: 'abort by the signal of a call, before the answer',
    script: { fault: { kind: 'hang', afterEvents: 0 } },
    run: async (bench) => {
      const stop = new AbortController();
      const call = bench.openai.chat.completions.create(chat, { signal: stop.signal });
      const thrown = thrownBy(() => call);
      await waitUntil('the request', () => bench.server.requests.length === 1);
      stop.abort();
      return [await thrown, await left(bench)];
    },
  },
  {
    name: 'a signal that has aborted before the call',
    run: async ({ openai, server }) => {
      const signal = AbortSignal.abort(new Error('not now'));
      const thrown = await thrownBy(() => openai.chat.completions.create(chat, { signal }));
      return [thrown, server.requests.length];
    },
  },
  {
    name: 'abort by the signal of a call, in a stream',
    script: slow,
    run: (bench) => {
      const stop = new AbortController();
      return seenBefore(bench, () => stop.abort(), stop.signal);
    },
  },
  {
    name: 'break out of a stream',
    script: slow,
    run: async (bench) => {
      const stream = await bench.openai.chat.completions.create(streamed);
      for await (const _ of stream) break;
      return [stream.controller.signal.aborted, await left(bench)];
    },
  },
  {
    name: 'abort by the controller of a stream',
    script: slow,
    run: (bench) =>
      seenBefore(bench, (stream) =>
        (stream as unknown as { controller: AbortController }).controller.abort(),
      ),
  },
  {
    name: 'cancel of a readable stream',
    script: slow,
    run: async (bench) => {
      const stream = await bench.openai.chat.completions.create(streamed);
      const reader = stream.toReadableStream().getReader();
      await reader.read();
      await reader.cancel();
      return left(bench);
    },
  },
  {
    name: 'retries after errors',
    script: { failures: { status: 429, times: 2, retryAfterMs: 1 } },
    run: async ({ openai, server }) => [
      (await openai.chat.completions.create(chat)).id,
      server.requests.map(({ status, headers }) => [status, headers['x-stainless-retry-count']]),
    ],
  },
  {
    name: 'a time-out',
    script: { fault: { kind: 'hang', afterEvents: 0 } },
    run: (bench) =>
      thrownBy(() => bench.openai.chat.completions.create(chat, { timeout: 30, maxRetries: 0 })),
  },
  ...[400, 401, 403, 404, 409, 422, 429, 500].map(
    (status): Behaviour => ({
      name: `the error of status ${status}`,
      script: { failures: { status, retryAfterMs: 1 } },
      run: async ({ openai, server }) => [
        await thrownBy(() => openai.chat.completions.create(chat, { maxRetries: 1 })),
        server.requests.length,
      ],
    }),
  ),
  {
    name: 'a call that the provider does not know',
    run: ({ openai }) => thrownBy(() => openai.post('/files', { body: {} })),
  },
  {
    name: 'a stream that is cut',
    script: { fault: { kind: 'cut', afterEvents: 2 } },
    run: (bench) => seenBefore(bench, () => {}),
  },
  {
    name: 'a stream that reports an error',
    script: { fault: { kind: 'error', afterEvents: 2 } },
    run: (bench) => seenBefore(bench, () => {}),
  },
  {
    name: 'a server that is gone',
    run: async ({ openai, server }) => {
      await server.close();
      return thrownBy(() => openai.chat.completions.create(chat, { maxRetries: 0 }));
    },
  },
  {
    name: 'events of the stream helper',
    script: { text: ['a', 'b'], toolCalls: [{ name: 'read', args: { path: '/a' } }] },
    run: async ({ openai }) => {
      const events: unknown[] = [];
      const runner = openai.chat.completions.stream(chat);
      for (const event of ['connect', 'content', 'chunk', 'message', 'finalContent', 'end'] as const) {
        runner.on(event, (...args: unknown[]) => events.push([event, args]));
      }
      await runner.done();
      return [events, await runner.totalUsage()];
    },
  },
  {
    name: 'lists and other calls that are not decided',
    run: async ({ openai }) => [await collect(openai.models.list()), await openai.get('/models')],
  },
  {
    name: 'withOptions, which leaves its client as it was',
    run: ({ openai, Class }) => {
      const other = openai.withOptions({ timeout: 1, maxRetries: 9 });
      return [other instanceof Class, other === openai, other.timeout, other.maxRetries, openai.timeout];
    },
  },
];
