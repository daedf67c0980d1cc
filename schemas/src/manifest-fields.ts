/** The small schemas that the manifest and the permissions share. */
import { z } from 'zod';
import { described } from './described.ts';
import { DURATION_PATTERN, readDuration } from './duration-text.ts';
import { id, idThat, pathId, plainId } from './scalars.ts';
import { withCode } from './shape-fault.ts';

/** A text with a limited number of characters. A character is a Unicode code point, as in JSON Schema. */
export function textOf(most: number) {
  return z
    .string()
    .min(1)
    .refine((text) => text.length <= most || lengthInCharacters(text) <= most, {
      error: `must have at most ${most.toLocaleString('en')} characters`,
    })
    .meta({ maxLength: most });
}

/** Returns the number of Unicode code points of a text. */
export function lengthInCharacters(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

export const version = described(
  z.literal('1.0', {
    error: ({ input }) =>
      typeof input === 'number'
        ? 'must be the text "1.0": write it in quotes, because 1.0 is a number'
        : undefined,
  }),
  'The version of the form of the document. Always `"1.0"`, in quotes.',
);

/** An id that becomes part of the id of an agent and of a policy. */
export const namePart = idThat(plainId, /^[^@]*$/, 'must not contain @: an @ comes before a version');

export const documentName = idThat(
  idThat(pathId, /^[^*]*$/, 'must not contain *: in a pattern it means any text'),
  /^[^@]*$/,
  'must not contain @: an @ comes before a version',
);

export const description = described(
  textOf(2_000).optional(),
  'A description for people. It changes no decision.',
  'Makes a deck of cards.',
);

/** The names of things that the manifest declares, in the order of the file. */
export const ids = z.array(id);

/**
 * A pattern that is searched in texts. The package that loads the document compiles it, so only its length is checked
 * here.
 */
export const textPatternField = z.string().min(1).meta({ maxLength: 1_000, format: 'regex' });

/** @param most the longest duration, written as a duration */
export function duration(most: string): z.ZodType<string> {
  return z
    .unknown()
    .check(({ value, issues }) => {
      const read = readDuration(value, most);
      if (read.ok) return;
      const code = value === undefined ? {} : withCode('DURATION_INVALID');
      issues.push({ code: 'custom', input: value, message: missingOr(value, read.message), ...code });
    })
    .meta({ type: 'string', pattern: DURATION_PATTERN }) as unknown as z.ZodType<string>;
}

function missingOr(value: unknown, message: string): string {
  return value === undefined ? message.replace('must be', 'is missing: it must be') : message;
}
