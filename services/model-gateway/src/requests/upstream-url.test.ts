import { expect, test } from 'vitest';
import type { Upstream } from '../models/models-shape.ts';
import { upstreamUrl } from './upstream-url.ts';

const at = (given: Pick<Upstream, 'baseUrl'> & Partial<Upstream>, path: string) =>
  upstreamUrl({ upstream: { query: {}, ...given } as Upstream, model: 'gpt 4o/x', price: null }, path).href;

test('joins the base URL, the path and the queries of the client and of the document', () => {
  expect(at({ baseUrl: 'https://api.example.com/v1' }, '/chat/completions')).toBe(
    'https://api.example.com/v1/chat/completions',
  );
  expect(
    at({ baseUrl: 'https://a.example/{model}', query: { 'api-version': '1' } }, '/x?api-version=9&b=2'),
  ).toBe('https://a.example/gpt%204o%2Fx/x?api-version=1&b=2');
});
