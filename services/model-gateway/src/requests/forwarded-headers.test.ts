import { expect, test } from 'vitest';
import type { Upstream } from '../models/models-shape.ts';
import { headersForClient, headersForUpstream } from './forwarded-headers.ts';

const upstream: Upstream = {
  ...{ name: 'one', protocol: 'openai', baseUrl: 'https://api.example.com/v1', provider: 'openai' },
  ...{ auth: 'bearer', apiKey: 'sk-upstream', query: {}, headers: { 'X-Team': 'red' }, streamUsage: true },
  ...{ connectMs: 1, firstByteMs: 1, idleMs: 1 },
};

/** Returns the headers as pairs, with names in lower case. */
function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : []));
}

const sent = [
  ...['Host', 'gateway', 'Authorization', 'Bearer sk-mdt_secret', 'X-Api-Key', 'sk-mdt_secret'],
  ...['Api-Key', 'sk-mdt_secret', 'Cookie', 'a=b', 'Content-Length', '7', 'Accept-Encoding', 'gzip'],
  ...['Connection', 'keep-alive, X-Hop', 'X-Hop', '1', 'Transfer-Encoding', 'chunked'],
  ...['X-Mandate-Agent', 'bot', 'x-team', 'blue', 'X-Custom', 'one', 'X-Custom', 'two'],
  ...['OpenAI-Beta', 'assistants=v2', 'Content-Type', 'application/json'],
];

test('an upstream gets the headers of the client with its own key, and no key of Mandate', () => {
  expect(pairs(headersForUpstream(sent, upstream, 42))).toEqual([
    ['x-custom', 'one'],
    ['x-custom', 'two'],
    ['openai-beta', 'assistants=v2'],
    ['content-type', 'application/json'],
    ['x-team', 'red'],
    ['authorization', 'Bearer sk-upstream'],
    ['accept-encoding', 'identity'],
    ['content-length', '42'],
    ['host', 'api.example.com'],
  ]);
});

test.each([
  ['x-api-key', 'sk-upstream'],
  ['api-key', 'sk-upstream'],
  ['none', undefined],
] as const)('the key of an upstream is sent in the way that its settings state: %s', (auth, value) => {
  const headers = new Map(pairs(headersForUpstream([], { ...upstream, auth }, 0)));
  expect(headers.get(auth)).toBe(value);
  expect(headers.get('authorization')).toBeUndefined();
});

test('a client gets the headers of the upstream, without those of its connection', () => {
  const answered = [
    ...['Date', 'today', 'Connection', 'close', 'Transfer-Encoding', 'chunked', 'Set-Cookie', 'a=b'],
    ...['x-request-id', 'req_1', 'Content-Length', '7'],
  ];
  expect(pairs(headersForClient(answered, false))).toEqual([
    ['date', 'today'],
    ['x-request-id', 'req_1'],
    ['content-length', '7'],
  ]);
  expect(pairs(headersForClient(answered, true)).map(([name]) => name)).toEqual(['date', 'x-request-id']);
});
