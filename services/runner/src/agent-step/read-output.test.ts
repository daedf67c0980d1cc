import { describe, expect, test } from 'vitest';
import { readOutput } from './read-output.ts';

const any = { schema: {}, faultOf: () => null };

describe('the output of a step', () => {
  test('is the text if no outputs are declared', () => {
    expect(readOutput(' {"a": 1} ', null)).toEqual({ ok: true, output: ' {"a": 1} ' });
  });

  test.each([
    ['{"a": 1}', { a: 1 }],
    ['  [1]\n', [1]],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['```\n"x"\n```', 'x'],
  ])('is the JSON value of %j', (text, output) => {
    expect(readOutput(text, any)).toEqual({ ok: true, output });
  });

  test.each(['', 'Here it is: {"a": 1}', '{"a": 1, "a": 2}', '{"__proto__": 1}', '[1] [2]', '"\\ud800"'])(
    'is not read from %j',
    (text) => {
      expect(readOutput(text, any)).toMatchObject({ ok: false });
    },
  );

  test('has a fault if it does not match its schema', () => {
    const outputs = { schema: {}, faultOf: () => 'it is no number' };
    expect(readOutput('"x"', outputs)).toEqual({ ok: false, fault: 'it is no number' });
  });

  test('is read quickly from a text that looks like a code fence', () => {
    const text = `\`\`\`${'\n```'.repeat(100_000)} `;
    const startedAt = performance.now();
    readOutput(text, any);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
