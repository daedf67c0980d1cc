/** Tests that a client behaves the same with and without a mandate. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { collect, waitUntil } from '@mandate/testing';
import type { ModelScript, ReceivedRequest } from '@mandate/testing/model-server';
import { describe, expect, test } from 'vitest';
import { wrapAnthropic } from './index.ts';
import { asked, scene } from './scene.fixture.ts';

type Seen = { client: Anthropic; requests: readonly ReceivedRequest[] };
type Behaviour = { script?: ModelScript; see: (seen: Seen) => Promise<unknown> };

const usage = { inputTokens: 50, outputTokens: 9 };
const slow: ModelScript = { text: Array(40).fill('word '), eventDelayMs: 10, usage };
const streamed = { ...asked, stream: true as const };
const failing = (status: number): ModelScript => ({ failures: { status, retryAfterMs: 1 } });

/** Returns everything that a program can read from an error. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    (value) => ({ resolved: value }),
    (thrown) => thrown,
  );
  const { name, message, status, type, requestID, cause } = error;
  return { name, message, status, type, requestID, class: error.constructor.name, cause: String(cause) };
}

/** Waits until the server notices that the client has cancelled. Returns whether this happened quickly. */
async function leftSoon(requests: readonly ReceivedRequest[]): Promise<boolean> {
  await waitUntil('the client to leave', () => requests[0]?.state === 'aborted');
  return (requests[0]?.eventsSent ?? 99) < 12;
}

const behaviours: Record<string, Behaviour> = {
  'an answer': { see: ({ client }) => client.messages.create(asked) },
  'class and keys of the client': {
    see: async ({ client }) => [client instanceof Anthropic, client.constructor.name, Object.keys(client)],
  },
  'class and keys of a promise': {
    see: async ({ client }) => {
      const promise = client.messages.create(asked);
      await promise;
      return [promise.constructor.name, Object.keys(promise)];
    },
  },
  withResponse: {
    see: async ({ client }) => {
      const { data, response, request_id } = await client.messages.create(asked).withResponse();
      const { status, ok, redirected, type, bodyUsed, url } = response;
      const path = new URL(url).pathname;
      return [data, request_id, status, ok, redirected, type, bodyUsed, path, response instanceof Response];
    },
  },
  asResponse: {
    see: async ({ client }) => {
      const response = await client.messages.create(asked).asResponse();
      const copy = response.clone();
      return [await response.json(), await copy.text(), response.headers.get('content-type')];
    },
  },
  'asResponse of a stream': {
    see: async ({ client }) => (await client.messages.create(streamed).asResponse()).text(),
  },
  'the request that is sent': {
    see: async ({ client, requests }) => {
      await client.messages.create(asked, { headers: { 'x-mine': '1' } });
      const { body, path, method, headers } = requests[0] as ReceivedRequest;
      const { host, ...others } = headers;
      return { body, path, method, others };
    },
  },
  'the events of a stream': {
    see: async ({ client }) => collect(await client.messages.create(streamed)),
  },
  'a stream read twice': {
    see: async ({ client }) => {
      const stream = await client.messages.create(streamed);
      await collect(stream);
      return errorOf(collect(stream));
    },
  },
  'both halves of tee': {
    see: async ({ client }) => {
      const [left, right] = (await client.messages.create(streamed)).tee();
      return Promise.all([collect(left), collect(right)]);
    },
  },
  toReadableStream: {
    see: async ({ client }) =>
      new Response((await client.messages.create(streamed)).toReadableStream()).text(),
  },
  'toReadableStream, cancelled': {
    script: slow,
    see: async ({ client, requests }) => {
      const reader = (await client.messages.create(streamed)).toReadableStream().getReader();
      await reader.read();
      await reader.cancel();
      return leftSoon(requests);
    },
  },
  break: {
    script: slow,
    see: async ({ client, requests }) => {
      for await (const { type } of await client.messages.create(streamed)) {
        if (type === 'content_block_delta') break;
      }
      return leftSoon(requests);
    },
  },
  'abort by the controller of the stream': {
    script: slow,
    see: async ({ client, requests }) => {
      const stream = await client.messages.create(streamed);
      for await (const { type } of stream) {
        if (type === 'content_block_delta') stream.controller.abort();
      }
      return leftSoon(requests);
    },
  },
  'abort by a signal, with a reason': {
    script: slow,
    see: async ({ client, requests }) => {
      const caller = new AbortController();
      const { signal } = caller;
      const read = async () => {
        for await (const { type } of await client.messages.create(streamed, { signal })) {
          if (type === 'content_block_delta') caller.abort(new Error('mine'));
        }
        return 'ended';
      };
      return [await errorOf(read()), await leftSoon(requests)];
    },
  },
  'abort before the answer': {
    script: { delayMs: 10_000 },
    see: async ({ client, requests }) => {
      const caller = new AbortController();
      const asking = client.messages.create(asked, { signal: caller.signal });
      await waitUntil('the request', () => requests.length === 1);
      caller.abort();
      return [await errorOf(asking), await leftSoon(requests)];
    },
  },
  'abort before the call': {
    see: async ({ client, requests }) => [
      await errorOf(client.messages.create(asked, { signal: AbortSignal.abort() })),
      requests.length,
    ],
  },
  'a time-out': {
    script: { delayMs: 10_000 },
    see: ({ client }) => errorOf(client.messages.create(asked, { timeout: 40, maxRetries: 0 })),
  },
  retries: {
    script: [{ failures: { status: 529, times: 2, retryAfterMs: 1 }, usage }],
    see: async ({ client, requests }) => [
      await client.messages.create(asked),
      requests.map(({ headers }) => headers['x-stainless-retry-count']),
    ],
  },
  'no answer at all': {
    script: { fault: { kind: 'cut', afterEvents: 0 } },
    see: async ({ client, requests }) => [
      await errorOf(client.messages.create(asked, { maxRetries: 1 })),
      requests.length,
    ],
  },
  'a stream that is cut': {
    script: { ...slow, fault: { kind: 'cut', afterEvents: 5 } },
    see: async ({ client }) => errorOf(collect(await client.messages.create(streamed))),
  },
  'a stream that reports an error': {
    script: { ...slow, fault: { kind: 'error', afterEvents: 5 } },
    see: async ({ client }) => errorOf(collect(await client.messages.create(streamed))),
  },
  'the events of the stream helper': {
    see: async ({ client }) => {
      const events: string[] = [];
      const stream = client.messages.stream(asked);
      for (const name of [
        'connect',
        'streamEvent',
        'text',
        'contentBlock',
        'message',
        'finalMessage',
        'end',
      ] as const) {
        stream.on(name, () => events.push(name));
      }
      const message = await stream.finalMessage();
      return [events, message, await stream.finalText(), stream.request_id];
    },
  },
  'a stream helper that is aborted': {
    script: slow,
    see: async ({ client, requests }) => {
      const stream = client.messages.stream(asked);
      stream.on('text', () => stream.abort());
      return [await errorOf(stream.done()), await leftSoon(requests)];
    },
  },
  'a tool runner': {
    script: [{ toolCalls: [{ id: 'toolu_1', name: 'add', args: { a: 1 } }] }, { text: 'Done.' }],
    see: async ({ client, requests }) => {
      const inputSchema = { type: 'object', properties: { a: { type: 'number' } } } as const;
      const add = betaTool({ name: 'add', description: 'adds', inputSchema, run: ({ a }) => `${a}` });
      const message = await client.beta.messages.toolRunner({ ...asked, tools: [add] });
      return [message, requests.map(({ body }) => body)];
    },
  },
  withOptions: {
    script: failing(500),
    see: async ({ client, requests }) => {
      const other = client.withOptions({ maxRetries: 1, defaultHeaders: { 'x-mine': '1' } });
      const error = await errorOf(other.messages.create(asked));
      return [error, other instanceof Anthropic, requests.map(({ headers }) => headers['x-mine'])];
    },
  },
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 422, 429, 500].map((status): [string, Behaviour] => [
      `the error of status ${status}`,
      { script: failing(status), see: ({ client }) => errorOf(client.messages.create(asked)) },
    ]),
  ),
};

describe.each(Object.entries(behaviours))('%s', (_name, { script = { usage }, see }) => {
  test('is the same with a mandate', async () => {
    const bare = await scene({ script });
    const wrapped = await scene({ script });
    const expected = await see({ client: bare.bare, requests: bare.server.requests });
    const seen = await see({ client: wrapped.wrapped, requests: wrapped.server.requests });
    const withoutPort = (value: unknown) =>
      JSON.parse(JSON.stringify(value ?? null).replace(/127.0.0.1:\d+/g, ''));
    expect(withoutPort(seen)).toEqual(withoutPort(expected));
  });
});

test('a client is wrapped once', async () => {
  const { wrapped, mandate } = await scene();
  for (const client of [wrapped, wrapped.withOptions({})]) {
    expect(() => wrapAnthropic(client, mandate)).toThrow('This client is under a mandate already.');
  }
});

test('the given client does not change', async () => {
  const { bare, mandate, decisions } = await scene();
  const before = Object.getOwnPropertyNames(bare);
  wrapAnthropic(bare, mandate);
  await bare.messages.create(asked);
  expect(Object.getOwnPropertyNames(bare)).toEqual(before);
  expect([bare.middleware, decisions]).toEqual([[], []]);
});
