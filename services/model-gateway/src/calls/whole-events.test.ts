import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeEvents } from './whole-events.ts';

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

test.each(['\n\n', '\r\n\r\n', '\r\r'])('passes complete events on, and holds back the rest (%j)', (end) => {
  const { take, rest } = wholeEvents();
  const given = (text: string) => textOf(take(Buffer.from(text)));
  expect(given('data: on')).toBe('');
  expect(given(`e${end}data: two${end}data: th`)).toBe(`data: one${end}data: two${end}`);
  expect(textOf(rest())).toBe('data: th');
  expect(given(`ree${end}`)).toBe(`data: three${end}`);
  expect(textOf(rest())).toBe('');
});

test('loses no byte, however a stream is cut into pieces', () => {
  const piece = fc.constantFrom(
    'data: «a»\n\n',
    'event: x\r\n',
    'data: b\r\n\r\n',
    '\n',
    '\n\n',
    'tail',
    ': ping\r\r',
  );
  fc.assert(
    fc.property(fc.array(piece), fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (pieces, sizes) => {
      const bytes = Buffer.from(pieces.join(''));
      const { take, rest } = wholeEvents();
      const taken: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value ?? 1;
        taken.push(take(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(Buffer.concat([...taken, rest()])).toEqual(bytes);
    }),
  );
});

test('passes an endless event on in pieces', () => {
  const { take, rest } = wholeEvents();
  const piece = Buffer.alloc(600 * 1024, 'x');
  expect(take(piece).length).toBe(0);
  expect(take(piece).length).toBe(2 * piece.length);
  expect(rest().length).toBe(0);
});
