/** Converts between lines and pieces of text for streams. Each piece is much larger than a line. */
import { unreadableSnapshot } from './unreadable-snapshot.ts';

/**
 * The size of one piece. Building and hashing a piece takes about a millisecond, and other work may run between two
 * pieces.
 */
const PIECE_CHARACTERS = 64 * 1024;

export function* textOf(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const textOf = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw unreadableSnapshot('it is not UTF-8', cause);
    }
  };
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + textOf(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += textOf();
  if (rest !== '') yield rest;
}
