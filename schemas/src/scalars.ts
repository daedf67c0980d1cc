/** The small schemas that all records use. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { END_OF_TIME_MS, timeFault } from './moment.ts';
import { nameFault } from './name-fault.ts';
import { TOPICS } from './topics.ts';

/**
 * A regular expression for names, for editors and producers. Their Unicode version may differ from Mandate's, so only
 * `nameFault` decides whether a name is accepted.
 */
export const NAME_PATTERN = '^[^\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}]*$';

/**
 * A name of an agent, a tool, a model, a person or an action. It is safe in a key, in an encoded URL, in a log line
 * and in a terminal. Different names differ in visible characters, although some of these characters look alike.
 */
export const id = z
  .string()
  .check(checkName)
  .meta({ minLength: 1, maxLength: CAPS.idUnits, pattern: NAME_PATTERN });

/**
 * Makes the three checks of a name in one function. A decision contains many names, and each zod check takes time.
 */
function checkName({ value: input, issues }: z.core.ParsePayload<string>): void {
  const size = { origin: 'string', inclusive: true, continue: true, input } as const;
  if (input.length === 0) issues.push({ ...size, code: 'too_small', minimum: 1 });
  if (input.length > CAPS.idUnits) issues.push({ ...size, code: 'too_big', maximum: CAPS.idUnits });
  const message = nameFault(input);
  if (message !== null) issues.push({ code: 'custom', continue: true, input, message });
}

/** Returns an id schema with one more rule. The rule is part of the JSON Schema too. */
export function idThat(base: typeof id, shape: RegExp, error: string): typeof id {
  const { allOf = [] } = (z.globalRegistry.get(base) ?? {}) as { allOf?: readonly object[] };
  return base
    .refine((text) => shape.test(text), { error })
    .meta({ allOf: [...allOf, { pattern: shape.source }] });
}

/**
 * A name that patterns can match: tools, models, providers, agents, groups. It contains no `*`, because a `*` in a
 * name would look like a pattern.
 */
export const plainId = idThat(id, /^[^*]*$/, 'must not contain *: in a pattern it means any text');

/**
 * A name that is used in paths of the API. `.` and `..` are refused, because clients treat these as folders even if
 * they are encoded.
 */
export const pathId = idThat(id, /^(?!\.{1,2}$)/, 'must be more than a dot or two');

export const tenant = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: 'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit',
});

/** An RFC 3339 time. Mandate always writes UTC with milliseconds. */
export const time = z.iso
  .datetime({
    offset: true,
    abort: true,
    error: ({ input }) => (typeof input === 'string' ? (timeFault(input) ?? undefined) : undefined),
  })
  .refine(isWritable, { error: ({ input }) => timeFault(String(input)) ?? undefined })
  .meta({ examples: ['2026-01-05T09:30:41.004Z'] });

/** True if the time can be written in UTC. The year alone answers this for most times. */
function isWritable(text: string): boolean {
  return (text >= '1971' && text < '9999') || timeFault(text) === null;
}

/** A time to which a clock may be set. It must be early enough that a later expiry can still be written as a time. */
export const clockTime = time.refine((text) => !(Date.parse(text) > END_OF_TIME_MS), {
  error: 'must be in the years 1970 to 2261',
});

export const count = z.int().min(0);

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * JSON inside a record that was already checked as JSON. It is not checked again, because a second check took a third
 * of the time to read a decision, and nine tenths for a request of 80,000 empty lists.
 */
export const parsedJson = z.unknown() as z.ZodType<Json>;

/** The position of a record on the log. The position of a request identifies the request. */
export const logPosition = z.object({
  topic: described(z.string().min(1).max(249), 'The topic of the log.', TOPICS.actions),
  partition: described(count, 'The partition of the topic.', 2),
  offset: described(count, 'The offset in the partition.', 41),
});
export type LogPosition = z.infer<typeof logPosition>;
