/** Makes texts of any length that are hostile to parsers. */
import fc from 'fast-check';

/**
 * Characters that have a meaning in one of the parsed languages: they separate, open, close, escape, repeat, or refer
 * to something.
 */
export const TOKENS: readonly string[] = [
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

/** A text that can be made in any length. The pieces with `grows` are repeated until the length is reached. */
export type Hostile = readonly { text: string; grows: boolean }[];

const piece = fc.record({
  text: fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  grows: fc.boolean(),
});

/** What is put before and after a hostile text. With it, a parser reads further than the first character. */
const AROUND = [
  ['', ''],
  ['[', '1]'],
  ['{"a":[', '1]}'],
  ['"', '"'],
  ['version: 1\nid: m\nagents: ["*"]\n', '\n'],
];

export const arbitraryHostile: fc.Arbitrary<Hostile> = fc
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

/** Texts that once blocked the event loop. */
export const KNOWN_HOSTILE: readonly Hostile[] = [
  [
    { text: '\n', grows: true },
    { text: '[', grows: false },
    { text: '1,', grows: true },
    { text: '1]', grows: false },
  ],
];

export function textAt(hostile: Hostile, times: number): string {
  return hostile.map(({ text, grows }) => (grows ? text.repeat(times) : text)).join('');
}
