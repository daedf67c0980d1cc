import { expect, test } from 'vitest';
import { eventReader, objectOf, type ServerSentEvent } from './read-events.ts';

const text = ': ping\n\nevent: a\ndata: {"x":\ndata: "€"}\n\ndata:[DONE]\n\nevent: none\n\ndata: open';
const expected = [
  { event: 'a', data: '{"x":\n"€"}' },
  { event: null, data: '[DONE]' },
];

test.each(['\n', '\r\n', '\r'])('reads events cut at any byte, with lines ended by %j', (newline) => {
  const bytes = new TextEncoder().encode(text.replaceAll('\n', newline));
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const events: ServerSentEvent[] = [];
    const read = eventReader((event) => events.push(event));
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    expect(events).toEqual(expected);
  }
});

test('skips an event that is too long, and reads the next one', () => {
  const events: ServerSentEvent[] = [];
  const read = eventReader((event) => events.push(event));
  const piece = new TextEncoder().encode('x'.repeat(8 * 1024 * 1024));
  read(new TextEncoder().encode('data: '));
  for (let sent = 0; sent < 6; sent += 1) read(piece);
  read(new TextEncoder().encode('\n\ndata: next\n\n'));
  expect(events).toEqual([{ event: null, data: 'next' }]);
});

test('JSON that is no object is null', () => {
  expect([objectOf('{"a":1}'), objectOf('[DONE]'), objectOf('1')]).toEqual([{ a: 1 }, null, null]);
});
