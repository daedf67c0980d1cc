/** One dead letter, found by its log position. */
import type { LogRecord } from '@mandate/bus';
import { count, type DeadLetter, deadLetter, described, TOPICS } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';

export type Letter = DeadLetter['deadLetter'];

const position = z.coerce.number().pipe(count);
export const letterPosition = z.object({
  partition: described(position, 'The partition of the dead letter on the dead-letter topic.', 2),
  offset: described(position, 'The offset of the dead letter in its partition.', 17),
});

/**
 * Returns the dead letter of a record. Null for other records of the topic: republications, or events of newer
 * versions.
 */
export function letterIn({ value }: Pick<LogRecord, 'value'>): Letter | null {
  const read = deadLetter.safeParse(jsonIn(value));
  return read.success ? read.data.deadLetter : null;
}

/** Returns the letter and its record. Throws DEAD_LETTER_NOT_FOUND. */
export async function letterAt(
  { bus }: Pick<Gateway, 'bus'>,
  position: z.output<typeof letterPosition>,
): Promise<{ letter: Letter; record: LogRecord }> {
  const record = await bus.at({ topic: TOPICS.deadLetters, ...position });
  const letter = record && letterIn(record);
  if (record !== null && letter !== null) return { letter, record };
  throw new HttpProblem(404, 'DEAD_LETTER_NOT_FOUND', 'there is no dead letter at this position', {
    remedy: 'GET /v1/dead-letters lists them with partition and offset.',
  });
}

/** Returns the parsed value. Null if the bytes are not JSON. */
export function jsonIn(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString());
  } catch {
    return null;
  }
}
