import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Output } from '../command-context.ts';
import { csvLine } from './csv.ts';
import { printableJson, printableLines } from './printable.ts';

/** Writes and waits while the reader is slower than we are, so that memory stays bounded. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** One document on one line. A terminal gets it with what could steer it escaped; anything else as it is. */
export async function writeJsonLine(stream: Output, value: unknown): Promise<void> {
  const json = JSON.stringify(value);
  await write(stream, `${stream.isTTY === true ? printableJson(json) : json}\n`);
}

/** A line of CSV. A file holds every cell as it is; a terminal gets it with what could steer it spelt out. */
export async function writeCsvLine(stream: Output, cells: readonly unknown[]): Promise<void> {
  const line = csvLine(cells);
  await write(stream, stream.isTTY === true ? printableLines(line) : line);
}
