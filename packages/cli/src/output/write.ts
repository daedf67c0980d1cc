import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { csvLine } from '@mandate/schemas';
import type { CommandContext, Output } from '../command-context.ts';
import { printableJson, printableLines } from './printable.ts';

/** Writes text. Waits if the reader is slower than the command, so that memory stays bounded. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** Writes one document on one line. For a terminal, characters that could steer the terminal are escaped. */
export async function writeJsonLine(stream: Output, value: unknown): Promise<void> {
  const json = JSON.stringify(value);
  await write(stream, `${stream.isTTY === true ? printableJson(json) : json}\n`);
}

/** Writes a line of CSV. For a terminal, characters that could steer the terminal are escaped. */
export async function writeCsvLine(stream: Output, cells: readonly unknown[]): Promise<void> {
  const line = csvLine(cells);
  await write(stream, stream.isTTY === true ? printableLines(line) : line);
}

/**
 * Shows an answer as one line of JSON, or as text. Returns the exit code of a successful command.
 *
 * @param note goes to stderr with a text answer, so that a script can read a key or an id from stdout
 */
export async function showAnswer(
  { stdout, stderr, json }: Pick<CommandContext, 'stdout' | 'stderr' | 'json'>,
  answer: unknown,
  text: () => string,
  note = '',
): Promise<0> {
  if (json) await writeJsonLine(stdout, answer);
  else {
    await write(stdout, text());
    await write(stderr, printableLines(note));
  }
  return 0;
}
