import { expect, test } from 'vitest';
import { readBody } from './read-body.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('replaces single values, and keeps every other byte', () => {
  const body = readBody(
    bytesOf('{ "big": 12345678901234567890,\n "model" : "fast", "x": 1.0, "note":"«ü»" }'),
  );
  expect(textOf(body.with({ model: 'gpt-4o' }))).toBe(
    '{ "big": 12345678901234567890,\n "model" : "gpt-4o", "x": 1.0, "note":"«ü»" }',
  );
});

test('adds a value that is absent', () => {
  const added = { stream_options: { include_usage: true } };
  expect(textOf(readBody(bytesOf('{"a":1}')).with(added))).toBe(
    '{"stream_options":{"include_usage":true},"a":1}',
  );
  expect(textOf(readBody(bytesOf(' {} ')).with(added))).toBe(' {"stream_options":{"include_usage":true}} ');
});

test('returns the same bytes if nothing changes', () => {
  const bytes = bytesOf('{"a":1}');
  expect(readBody(bytes).with({})).toBe(bytes);
});

test.each([
  ['', /not acceptable JSON/],
  ['{"a":', /not acceptable JSON/],
  ['[1]', /it is no object/],
  ['{"model":"a","Model":"b"}', /it has the field "Model" twice/],
  ['{"model":"a","mod\\u0065l":"b"}', /it has the field "model" twice/],
  ['{"stream":true,"\\u017ftream":false}', /it has the field "ſtream" twice/],
])('refuses %j', (text, message) => {
  expect(() => readBody(bytesOf(text))).toThrow(
    expect.objectContaining({ status: 400, code: 'INVALID_JSON', message: expect.stringMatching(message) }),
  );
});

test('refuses bytes that are not UTF-8', () => {
  expect(() => readBody(new Uint8Array([0x7b, 0xff, 0x7d]))).toThrow(/UTF-8/);
});
