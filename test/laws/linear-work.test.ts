/**
 * Whatever reads what comes from outside does work that grows no faster than what it reads. Hostile texts are drawn, each at
 * a length and at four times that length: four times the work is linear, sixteen times is quadratic.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startCounting, type WorkCounter } from './counted-work.ts';
import { READERS } from './readers.ts';

// A law takes a second; how long that is on a busy machine is no part of it.
vi.setConfig({ testTimeout: 120_000 });

const SHORT = 120;
const TIMES = 4;
/** Of the work at the short length: linear work comes to `TIMES`, what depends on no length to less. */
const MOST = 1.6 * TIMES;
/** Work that is there whatever is read. */
const CONSTANT = 3_000;

/** What parts, opens, closes, escapes, repeats or refers to something in any of the languages that are read. */
const TOKENS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '"',
    "'",
    '`',
    ',',
    ':',
    ';',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\0',
    '#',
    '|',
    '>',
  ],
  ...[
    '- ',
    '? ',
    ': ',
    '&a ',
    '*a ',
    '<<: ',
    '!',
    '%',
    '---\n',
    '\\',
    '\\n',
    '\\u0041',
    '\\ud83d',
    '"a":',
    'a: ',
  ],
  ...[
    '1',
    '9',
    '0.1',
    '-',
    'e',
    '1e',
    'true',
    'null',
    'a',
    'A',
    '_',
    '.',
    '/',
    '../',
    '~',
    '@',
    '*',
    '--',
    '/*',
    '$$',
  ],
  ...[
    '{"a":1},',
    '"a":[',
    '[],',
    'null,',
    '漢',
    '\u{1f600}',
    '\u0301',
    '\u200b',
    'a@b.co ',
    'a.b@',
    '4111 1111 ',
    '+1 ',
  ],
  ...[
    'sk-',
    'ey',
    'AKIA',
    '-----BEGIN ',
    'DE89 ',
    '1.2.3.',
    ':1:',
    'SELECT ',
    'file:',
    '%2e',
    '<',
    '=',
    '==',
    '?=',
  ],
];

/** A text at any length: pieces, of which some are repeated. */
type Hostile = readonly { text: string; grows: boolean }[];

const piece = fc.record({
  text: fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  grows: fc.boolean(),
});

/** What a reader has to be within before it looks at more than the first character. */
const AROUND = [
  ['', ''],
  ['[', '1]'],
  ['{"a":[', '1]}'],
  ['"', '"'],
  ['version: 1\nid: m\nagents: ["*"]\n', '\n'],
];

const arbitraryHostile: fc.Arbitrary<Hostile> = fc
  .tuple(
    fc.array(piece, { maxLength: 2 }),
    fc.constantFrom(...AROUND),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
  )
  .map(([before, [open = '', close = ''], within]) => [
    ...before,
    { text: open, grows: false },
    ...within,
    { text: close, grows: false },
  ]);

/** That once held up everything. */
const KNOWN: readonly Hostile[] = [
  [
    { text: '\n', grows: true },
    { text: '[', grows: false },
    { text: '1,', grows: true },
    { text: '1]', grows: false },
  ],
];

function textAt(hostile: Hostile, times: number): string {
  return hostile.map(({ text, grows }) => (grows ? text.repeat(times) : text)).join('');
}

let counter: WorkCounter;
beforeAll(async () => {
  counter = await startCounting(['/schemas/src/', '/packages/', '/services/', '/node_modules/yaml/']);
});
afterAll(() => counter.stop());

describe.each(READERS.map(([name]) => name))('%s', (reader) => {
  test('takes work that is linear in the text', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHostile, async (hostile) => {
        const [short, long] = [textAt(hostile, SHORT), textAt(hostile, SHORT * TIMES)];
        const less = await counter.countOf(reader, short);
        const more = await counter.countOf(reader, long);
        expect(more, `${more} for ${long.length} characters, ${less} for ${short.length}`).toBeLessThan(
          MOST * less + CONSTANT,
        );
      }),
      { numRuns: 40, examples: KNOWN.map((hostile) => [hostile]) },
    );
  });
});
