/** `dead.letter`: a record that could not be read, kept whole, with where it came from and what is wrong with it. */
import { z } from 'zod';
import { count, source, time } from './scalars.ts';

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
      /** Of a batch of records that could not be told apart: its last offset. `source` has the first, the value all of it. */
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
