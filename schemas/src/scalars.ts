/** The small shapes that every record is made of. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';

/** Printable, without blanks: safe in a key, a URL once encoded, a log line and a terminal. */
export const id = z
  .string()
  .min(1)
  .max(CAPS.idUnits)
  .regex(/^[^\p{C}\p{Z}]*$/u, { error: 'must be printable, without blanks' })
  .describe(`1 to ${CAPS.idUnits} printable characters without blanks.`);

/** Of what the API names in its paths: a client takes a dot or two for a folder, however they are written. */
export const pathId = id.regex(/^(?!\.{1,2}$)/, { error: 'must be more than a dot or two' });

export const tenant = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    error: 'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit',
  })
  .describe('1 to 64 letters, digits, dots, dashes or underscores.');

/** An RFC 3339 time; what Mandate writes is always UTC, with milliseconds. */
export const time = z.iso.datetime({ offset: true }).describe('An RFC 3339 time.');

export const count = z.int().min(0);

/** Epoch milliseconds → the wire's form. */
export function wireTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * JSON inside a record, which was read from JSON: there is nothing to look for in it. Walking what checks saw, and the
 * arguments, made up a third of reading a decision, and nine tenths of reading a request of 80,000 empty lists.
 */
export const parsedJson = z.unknown() as z.ZodType<Json>;

/** Where one delivery lies: the identity of a request. The offset is a string on the wire, as in Kafka's clients. */
export const source = z.object({
  topic: z.string().min(1).max(249),
  partition: count,
  offset: z.string().regex(/^\d{1,19}$/),
});
export type Source = z.infer<typeof source>;
