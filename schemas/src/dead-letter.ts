/**
 * Records of the dead-letter topic: records that could not be read, complete with their bytes, and what operators did
 * with them.
 */
import { z } from 'zod';
import { described } from './described.ts';
import { count, id, logPosition, tenant, time } from './scalars.ts';

/** The fault of a record, and the way to correct it. `line` and `column` count from 1. */
export const fault = z.object({
  code: described(z.literal('INVALID_ACTION'), 'The code of the fault.'),
  reason: described(z.string(), 'What is wrong with the record.', '/action/attempt must be at least 1'),
  remedy: described(
    z.string(),
    'What to do about it.',
    'give the field a value that fits, then publish the record again',
  ),
  pointer: described(
    z.string(),
    'A JSON pointer to the field with the fault. Empty: the whole record.',
    '/action/attempt',
  ),
  line: described(count, 'The line of the fault in the text, from 1.', 1),
  column: described(count, 'The column of the fault in the line, from 1.', 126),
});
export type Fault = z.infer<typeof fault>;

export const deadLetter = z
  .object({
    event: described(z.literal('dead.letter'), 'The kind of the record.'),
    deadLetter: described(
      z.object({
        id: described(z.string(), 'The id of the dead letter.', 'dlq_01ke6qys6r234a8ff792246c8f031c'),
        source: described(logPosition, 'The log position of the record that could not be read.'),
        lastOffset: described(
          logPosition.shape.offset.optional(),
          'The last offset of a batch that could not be split into records. `source` then has the first offset, and `valueBase64` the whole batch. Absent if the dead letter is a single record.',
          63,
        ),
        key: described(
          z.string().nullable(),
          'The key of the record, cut if it is too long. null: it has none.',
          'default/airline-007',
        ),
        fault: described(fault, 'What is wrong with the record, and what to do about it.'),
        valueBase64: described(
          z.string(),
          'The bytes of the record in base64. They are cut at the size of the largest record.',
          'eyJldmVudCI6ImFjdGlvbi5yZXF1ZXN0ZWQifQ==',
        ),
        truncated: described(z.boolean(), 'Whether `valueBase64` is cut.', false),
        bytes: described(count, 'The size of the whole record, in bytes.', 128),
        appendedAt: described(time, 'When the log took the record.'),
        at: described(time, 'When the dead letter was written.'),
      }),
      'The record that could not be read.',
    ),
  })
  .meta({
    title: 'dead.letter',
    description: 'A record that could not be read, with its bytes, its log position and its fault.',
  });
export type DeadLetter = z.infer<typeof deadLetter>;

export const deadLetterRepublished = z
  .object({
    event: described(z.literal('deadletter.republished'), 'The kind of the record.'),
    republication: described(
      z.object({
        id: described(
          id,
          'The id of the command that published it again.',
          'rep_01ke6r2v8q0b1c2d3e4f5a6b7c8d9e',
        ),
        by: described(z.string(), 'The person or the API key that published it again.', 'on call (key_7)'),
        reason: described(z.string(), 'Why, in the words of the operator.', 'attempt counts from 1'),
        at: described(time, 'When it was published again.'),
        letterId: described(
          id,
          'The dead letter that was published again.',
          'dlq_01ke6qys6r234a8ff792246c8f031c',
        ),
        corrected: described(
          z.boolean(),
          'Whether the operator changed the record. false: it was published byte for byte.',
          true,
        ),
        source: described(
          logPosition,
          'The log position of the new record, on the topic from which the dead letter came.',
        ),
        appendedAt: described(time, 'When the log took the new record.'),
        tenant: described(
          tenant.nullable(),
          'The tenant of the new record. null: the new record cannot be read either.',
          'default',
        ),
        answerIds: described(
          z.array(id),
          'The ids that its answer can have: a decision, a settlement, or another dead letter.',
          ['dec_01ke6r2v8r0c37d1a2b3c4d5e6f708', 'dlq_01ke6r2v8r19a0b1c2d3e4f5061728'],
        ),
      }),
      'The dead letter and its new record, and who published it and why.',
    ),
  })
  .meta({
    title: 'deadletter.republished',
    description:
      'A dead letter was published again, unchanged or corrected. This record follows its dead letter in the same partition.',
  });
export type DeadLetterRepublished = z.infer<typeof deadLetterRepublished>;
export type Republication = DeadLetterRepublished['republication'];

export const deadLettersRecord = z.discriminatedUnion('event', [deadLetter, deadLetterRepublished]);
export type DeadLettersRecord = z.infer<typeof deadLettersRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text that the producer sent. Null if the bytes are not UTF-8. */
export function textOfLetter({ valueBase64 }: Pick<DeadLetter['deadLetter'], 'valueBase64'>): string | null {
  try {
    return utf8.decode(Uint8Array.from(atob(valueBase64), (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

/**
 * Reads a record that a decider or gateway wrote, in the same way as `readDecisionsRecord`. Throws on any other
 * content.
 */
export function readDeadLettersRecord(value: Uint8Array): DeadLettersRecord {
  return deadLettersRecord.parse(JSON.parse(utf8.decode(value)));
}
