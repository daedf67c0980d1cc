import { expect, test } from 'vitest';
import { textOfResult } from './result-text.ts';

test.each([
  [
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'a\nb',
  ],
  [{ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, '[image: image/png]'],
  [{ content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'whole' } }] }, 'whole'],
  [{ content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } }] }, '[file:///a]'],
  [{ content: [{ type: 'resource_link', uri: 'file:///a' }] }, '[file:///a]'],
  [{ content: [], structuredContent: { a: 1 } }, '{"a":1}'],
  [{ content: [{ type: 'text', text: 'said' }], structuredContent: { a: 1 } }, 'said'],
  [{ content: [{ type: 'text', text: 'a\ud800' }] }, 'a\ufffd'],
  [{}, ''],
])('the text of %j is %j', (result, text) => {
  expect(textOfResult(result)).toBe(text);
});

test.each(['x', '€', '😀', '\n', '\u0001'])(
  'a long text of %j fits into the log after it was cut',
  (character) => {
    const whole = character.repeat(200_000);
    const text = textOfResult({ content: [{ type: 'text', text: whole }] });
    const bytes = Buffer.byteLength(JSON.stringify(text));
    expect(bytes).toBeLessThanOrEqual(131_072);
    expect(bytes).toBeGreaterThan(130_000);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain(`[Cut: the result has ${Buffer.byteLength(whole)} bytes,`);
  },
);

test('a text that fits is not cut', () => {
  const whole = 'x'.repeat(130_000);
  expect(textOfResult({ content: [{ type: 'text', text: whole }] })).toBe(whole);
});
