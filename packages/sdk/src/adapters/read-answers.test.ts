import { expect, test } from 'vitest';
import { dataOf, eventBlocks } from './read-answers.ts';

const text = ': ping\n\nevent: a\ndata: {"x":\ndata: "€"}\n\ndata:[DONE]\n\nevent: none\n\ndata: open';

test.each(['\n', '\r\n', '\r'])(
  'separates events wherever the stream is split, with lines that end in %j',
  (newline) => {
    const whole = text.replaceAll('\n', newline);
    const bytes = new TextEncoder().encode(whole);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const { take, rest } = eventBlocks();
      const blocks: string[] = [];
      for (let at = 0; at < bytes.length; at += size)
        blocks.push(...(take(bytes.subarray(at, at + size)) ?? []));
      expect(blocks.map(dataOf)).toEqual(['', '{"x":\n"€"}', '[DONE]', '']);
      expect(blocks.join('') + rest()).toBe(whole);
    }
  },
);

test('an event that is too long is returned by `rest`, with the events before it', () => {
  const { take, rest } = eventBlocks();
  const head = 'data: a\n\ndata: ';
  const tail = 'x'.repeat(33 * 1024 * 1024);
  expect(take(new TextEncoder().encode(head + tail))).toBeNull();
  expect(rest() === head + tail).toBe(true);
});
