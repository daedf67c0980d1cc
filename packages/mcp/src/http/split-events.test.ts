import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventSplitter, EventTooLong, withData } from './split-events.ts';

const line = fc.oneof(
  fc.constantFrom('data: {"a":1}', 'data:x', 'event: message', 'id: 7', ': hello', 'retry: 5', 'data'),
  fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `data: ${text.replace(/[\r\n]/g, '.')}`),
);
const event = fc.tuple(fc.array(line, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\r\n'));
const written = fc
  .array(event, { maxLength: 6 })
  .map((events) => events.map(([lines, end]) => [...lines, '', ''].join(end)));

test('keeps every byte of every event, wherever the stream is split', () => {
  fc.assert(
    fc.property(written, fc.array(fc.nat(200)), (events, cuts) => {
      const bytes = Buffer.from(events.join(''));
      const splitter = new EventSplitter(1_000_000);
      const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      let from = 0;
      const found = places.flatMap((to) => {
        const part = splitter.push(bytes.subarray(from, to));
        from = to;
        return part;
      });
      expect(found.map((one) => Buffer.from(one.bytes).toString())).toEqual(events);
      expect(splitter.rest()).toHaveLength(0);
    }),
  );
});

test('reads the data of an event, also from several lines', () => {
  const [one, two, three] = new EventSplitter(1_000).push(
    Buffer.from('id: 1\ndata: a\ndata:b\n\n: ping\n\nevent: x\rdata: c\r\rd'),
  );
  expect([one?.data, two?.data, three?.data]).toEqual(['a\nb', null, 'c']);
  expect(one && withData(one, '{}')).toBe('id: 1\ndata: {}\n\n');
});

test('reports an event that is not UTF-8', () => {
  const [found] = new EventSplitter(100).push(Buffer.from([0x64, 0x3a, 0xff, 0x0a, 0x0a]));
  expect(found?.lines).toBeNull();
});

test('refuses an event that is too long', () => {
  const splitter = new EventSplitter(10);
  expect(() => splitter.push(Buffer.from('data: 0123456789'))).toThrow(EventTooLong);
});

test('reads an event after a byte order mark, as clients do', () => {
  const [event] = new EventSplitter(1_000).push(Buffer.from('\ufeffdata: {}\n\n'));
  expect(event?.data).toBe('{}');
});

test('writes a message with line breaks as one line of data', () => {
  const [event] = new EventSplitter(1_000).push(Buffer.from('id: 1\ndata: {\ndata: "a":1}\n\n'));
  if (event === undefined) throw new Error('there is no event');
  expect(withData(event, '{\n"a":2}')).toBe('id: 1\ndata: { "a":2}\n\n');
});
