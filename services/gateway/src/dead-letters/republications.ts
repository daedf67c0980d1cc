/**
 * The republications of a dead letter. Each republication is an event in the partition of its letter, after the
 * letter. So the log alone has the whole history, and a query reads only the records after the letter.
 */
import type { LogRecord } from '@mandate/bus';
import { deadLetterRepublished, type Republication, TOPICS } from '@mandate/schemas';
import type { Gateway } from '../gateway.ts';
import { jsonIn, type Letter } from './read-letter.ts';

/** Returns the republications of a letter, oldest first. */
export async function republicationsOf(
  { bus }: Pick<Gateway, 'bus'>,
  { letter, record }: { letter: Letter; record: LogRecord },
): Promise<Republication[]> {
  const { partition: own, offset } = record.position;
  const ranges = await bus.ranges(TOPICS.deadLetters);
  const from = ranges.map(({ topic, partition, startOffset, endOffset }): [string, number] => [
    `${topic}/${partition}`,
    partition === own ? Math.max(startOffset, offset + 1) : endOffset,
  ]);
  const found: Republication[] = [];
  const reader = await bus.read({
    topics: [TOPICS.deadLetters],
    from: Object.fromEntries(from),
    onRecords(records) {
      for (const { value } of records) {
        const republication = republicationOf(letter, value);
        if (republication !== null) found.push(republication);
      }
    },
  });
  try {
    await Promise.race([reader.caughtUp, reader.finished]);
  } finally {
    await reader.stop();
  }
  return found;
}

/**
 * Only records with the id of this letter are parsed, because most records of the topic are other letters, and some
 * are large.
 */
function republicationOf({ id }: Letter, value: Uint8Array): Republication | null {
  if (!Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(id)) return null;
  const read = deadLetterRepublished.safeParse(jsonIn(value));
  return read.success && read.data.republication.letterId === id ? read.data.republication : null;
}
