import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Output } from '../command-context.ts';
import { writeCsvLine, writeJsonLine } from './write.ts';

async function written(isTTY: boolean, write: (stream: Output) => Promise<void>): Promise<string> {
  const stream: Output = Object.assign(new PassThrough(), { isTTY });
  await write(stream);
  stream.end();
  return text(stream as PassThrough);
}

const CELL = 'a\u001b[2J\u202eb\u3164';

it('escapes invisible and control characters on a terminal, and leaves a file unchanged', async () => {
  const csv = (stream: Output) => writeCsvLine(stream, [CELL]);
  expect(await written(true, csv)).toBe('a\\u{1b}[2J\\u{202e}b\\u{3164}\n');
  expect(await written(false, csv)).toBe(`${CELL}\n`);
  const json = (stream: Output) => writeJsonLine(stream, CELL);
  expect(await written(true, json)).toBe('"a\\u001b[2J\\u202eb\\u3164"\n');
  expect(await written(false, json)).toBe(`${JSON.stringify(CELL)}\n`);
});
