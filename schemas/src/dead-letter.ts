/** What stands in the dead letters topic: records that could not be read, kept whole, and what operators did with them. */
import { z } from 'zod';
import { count, id, source, tenant, time } from './scalars.ts';

/** What is wrong with a record, and what to do about it. `line` and `column` count from 1. */
export const fault = z.object({
  code: z.literal('INVALID_ACTION'),
  reason: z.string(),
  remedy: z.string(),
  /** JSON pointer of the field at fault; empty for the record as a whole. */
  pointer: z.string(),
  line: count,
  column: count,
});
export type Fault = z.infer<typeof fault>;

export const deadLetter = z
  .object({
    event: z.literal('dead.letter'),
    deadLetter: z.object({
      id: z.string(),
      source,
      /**
       * The last offset of a batch that could not be split into records. `source` has the first offset, the value the
       * whole batch.
       */
      lastOffset: source.shape.offset.optional(),
      /** Cut at the key cap. */
      key: z.string().nullable(),
      fault,
      /** The bytes as they came, base64; cut at the record cap, and then `truncated`. */
      valueBase64: z.string(),
      truncated: z.boolean(),
      bytes: count,
      appendedAt: time,
      at: time,
    }),
  })
  .meta({
    title: 'dead.letter',
    description: 'A record that could not be read, whole, with where it came from and what is wrong with it.',
  });
export type DeadLetter = z.infer<typeof deadLetter>;

export const deadLetterRepublished = z
  .object({
    event: z.literal('deadletter.republished'),
    republication: z.object({
      id,
      by: z.string(),
      reason: z.string(),
      at: time,
      letterId: id,
      /** false: byte for byte as it was. */
      corrected: z.boolean(),
      /** Where the record lies that was published from the letter, on the topic that the letter came from, and since when. */
      source,
      appendedAt: time,
      /** The tenant of that record; null if it cannot be read either. */
      tenant: tenant.nullable(),
      /** What became of it has one of these ids: a decision, a settlement, or another dead letter. */
      answerIds: z.array(id),
    }),
  })
  .meta({
    title: 'deadletter.republished',
    description:
      'A dead letter was published again, as it was or corrected. In the partition of its letter, behind it.',
  });
export type DeadLetterRepublished = z.infer<typeof deadLetterRepublished>;
export type Republication = DeadLetterRepublished['republication'];

export const deadLettersRecord = z.discriminatedUnion('event', [deadLetter, deadLetterRepublished]);
export type DeadLettersRecord = z.infer<typeof deadLettersRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What the producer sent, as text; null where it is none. */
export function textOfLetter({ valueBase64 }: Pick<DeadLetter['deadLetter'], 'valueBase64'>): string | null {
  try {
    return utf8.decode(Uint8Array.from(atob(valueBase64), (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** Reads what a decider or gateway wrote, as `readDecisionsRecord` does; throws on anything else. */
export function readDeadLettersRecord(value: Uint8Array): DeadLettersRecord {
  return deadLettersRecord.parse(JSON.parse(utf8.decode(value)));
}
