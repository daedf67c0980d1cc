/** Query parameters. An unknown parameter is an error, and every value is checked before use. */
import type { Clock } from '@mandate/runtime';
import { AGO, described, END_OF_TIME_MS, readMoment, time } from '@mandate/schemas';
import { z } from 'zod';

/**
 * Returns a schema of query parameters. It refuses an unknown parameter, and its message lists the known parameters.
 */
export function queryParameters<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `there is no parameter ${issue.keys.join(', ')}; known are ${known}`
        : undefined,
  });
}

export const flag = z.enum(['true', 'false']).transform((written) => written === 'true');

/** A time span that ends now, such as `1h`. A saved URL with `1h` reads the last hour whenever it is opened. */
const ago = z.string().regex(AGO);

/** Reads a time as epoch milliseconds: an RFC 3339 time, the beginning of a day in UTC, or a time span before now. */
const moment = (clock: Clock) =>
  z
    .union([time, z.iso.date(), ago], { error: ({ input }) => faultOf(input, clock()) })
    .transform((text, context) => {
      const read = readMoment(text, clock());
      if ('atMs' in read && read.atMs <= END_OF_TIME_MS) return read.atMs;
      const message = 'fault' in read ? read.fault : 'must be in the years 1970 to 2261';
      context.issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    });

function faultOf(input: unknown, nowMs: number): string | undefined {
  const read = typeof input === 'string' ? readMoment(input, nowMs) : null;
  return read !== null && 'fault' in read ? read.fault : undefined;
}

const MOMENT = 'an RFC 3339 time, a day (UTC), or how long ago: 15m, 2h, 7d, 4w';

/** Returns the parameters of a period. The period includes the time `from` and excludes the time `to`. */
export const period = (clock: Clock) => ({
  from: described(
    moment(clock).optional(),
    `The period begins at this time: ${MOMENT}.`,
    '24h',
    '2026-01-31T12:00:00Z',
  ),
  to: described(moment(clock).optional(), `The period ends before this time: ${MOMENT}.`, '2026-02-01'),
});

/**
 * A parameter that may be given up to `most` times. The message about a wrong value says whether one value or a list
 * was given.
 */
export function oneOrMore<Value extends z.ZodType<string>>(value: Value, most: number) {
  const several = z
    .array(value)
    .min(1)
    .max(most, { error: `give ${most} at most` });
  return z
    .union([value, several], {
      error: ({ input, errors }) => errors?.[Array.isArray(input) ? 1 : 0]?.[0]?.message,
    })
    .transform((given): z.output<Value>[] => (Array.isArray(given) ? given : [given]));
}

/** A filter with one or several values. It matches a row with any of the values. */
export function anyOf<Value extends z.ZodType<string>>(value: Value) {
  return oneOrMore(value, 100).optional();
}

/** A whole number in plain digits: no sign, spaces, exponent or hexadecimal digits. */
export const wholeNumberWithin = (least: number, most: number) => {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  const error = `give a whole number in plain digits, ${range}`;
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text),
    z.int({ error }).min(least, { error }).max(most, { error }),
  );
};

/** A whole number for a count or an amount. */
export const wholeNumber = wholeNumberWithin(0, Number.MAX_SAFE_INTEGER);

export const limit = described(
  wholeNumberWithin(1, 1_000).default(100),
  'How many to return at most, 1 to 1,000.',
  20,
);
