import { describe, expect, test } from 'vitest';
import { replyOf } from './read-reply.ts';

describe('a reply', () => {
  test.each([
    ['{"a": 1}', { a: 1 }],
    ['', {}],
    [' ', {}],
    ['[1]', null],
    ['{"a": 1', null],
    ['{"a": 1, "a": 2}', null],
    ['{"__proto__": {}}', null],
    ['{"a": 9007199254740993}', null],
    ['{"a": "\\ud800"}', null],
    [`{"a": ${'['.repeat(30)}${']'.repeat(30)}}`, null],
  ])('has the arguments %s as %j', (args, expected) => {
    expect(replyOf('', [{ tool: 'look', args }], 'end')).toEqual({
      text: '',
      toolCalls: [{ tool: 'look', args: expected }],
      stop: 'tools',
    });
  });

  test('contains only characters that a record can contain', () => {
    expect(replyOf('a\ud800b', [], 'end').text).toBe('a\ufffdb');
  });

  test('is refused if it has more than 128 KiB as JSON', () => {
    const fits = 131_072 - JSON.stringify({ text: '', toolCalls: [], stop: 'end' }).length;
    expect(replyOf('x'.repeat(fits), [], 'end').text).toHaveLength(fits);
    const large = [
      ['x'.repeat(fits + 1), ''],
      ['ä'.repeat(65_536), ''],
      ['\u0001'.repeat(22_000), ''],
      ['x', `{"a":[${'"xxxxxxxx",'.repeat(9_990)}"${'x'.repeat(60_000)}"]}`],
    ] as const;
    for (const [text, args] of large)
      expect(() => replyOf(text, [{ tool: 'a', args }], 'end')).toThrow('more than 131072 bytes');
  });
});
