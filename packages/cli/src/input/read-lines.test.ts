import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

const MAX = 8;

async function linesOf(chunks: readonly Uint8Array[], max = MAX): Promise<[number, string][]> {
  const lines: [number, string][] = [];
  const stream = (async function* () {
    yield* chunks;
  })();
  for await (const { number, bytes } of readLines(stream, max)) {
    lines.push([number, Buffer.from(bytes).toString('latin1')]);
  }
  return lines;
}

/** Returns the expected lines. They are computed by splitting the whole text in memory. */
function expectedLines(text: string, max: number): [number, string][] {
  return text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .map((line, at): [number, string] => [at + 1, line.slice(0, max + 1)])
    .filter(([, line]) => !/^[ \t\r]*$/.test(line));
}

it('returns the same lines however the text is cut into chunks', async () => {
  const part = fc.constantFrom(
    'a',
    'bcd',
    '\n',
    '\n\n',
    ' ',
    '\r\n',
    '\t',
    'x'.repeat(20),
    '\u00ef\u00bb\u00bf',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part).map((parts) => parts.join(''))), async (texts) => {
      const chunks = texts.map((text) => Buffer.from(text, 'latin1'));
      expect(await linesOf(chunks)).toEqual(expectedLines(texts.join(''), MAX));
    }),
  );
});

it('removes the byte order mark only at the beginning, even if its bytes arrive one by one', async () => {
  const bytes = Buffer.from('\ufeff{"a":1}\n\ufeff');
  const lines = await linesOf(
    [...bytes].map((byte) => Uint8Array.of(byte)),
    100,
  );
  expect(lines).toEqual([
    [1, '{"a":1}'],
    [2, '\u00ef\u00bb\u00bf'],
  ]);
});

it('keeps exactly one byte more than the limit of a line that is too long', async () => {
  expect(await linesOf([Buffer.alloc(1_000, 'y'), Buffer.from('\nz')])).toEqual([
    [1, 'y'.repeat(MAX + 1)],
    [2, 'z'],
  ]);
});

it('reads no more of the input than it needs for the next line', async () => {
  let read = 0;
  const endless = (async function* () {
    for (;;) {
      read++;
      yield Buffer.from('line\n');
    }
  })();
  for await (const { number } of readLines(endless, MAX)) if (number === 3) break;
  expect(read).toBe(3);
});
