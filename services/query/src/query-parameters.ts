/** What a caller may write behind the `?`: every parameter is known, and every value is checked before it is used. */
import type { Clock } from '@mandate/runtime';
import { time } from '@mandate/schemas';
import { z } from 'zod';

/** A schema of query parameters that refuses any other, naming those it knows. */
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

/** The last moment that ClickHouse can hold. */
export const END_OF_TIME_MS = Date.UTC(2262, 0, 1) - 1;

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** How long ago, as one says it: so a URL that was saved asks about the last hour of whenever it is opened. */
const ago = z.string().regex(/^\d{1,6}[smhdw]$/);

const day = z.iso.date();

/** Epoch milliseconds of an RFC 3339 time, of the beginning of a day in UTC, or of so long before now. */
const moment = (clock: Clock) =>
  z
    .union(
      [
        time.transform((written) => Date.parse(written)),
        day.transform((written) => Date.parse(written)),
        ago.transform(
          (written) => clock() - Number(written.slice(0, -1)) * (UNITS_MS[written.slice(-1)] ?? 0),
        ),
      ],
      {
        error:
          'give an RFC 3339 time (2026-01-31T12:00:00Z), a day (2026-01-31) or how long ago (15m, 2h, 7d)',
      },
    )
    .refine((atMs) => atMs >= 0 && atMs <= END_OF_TIME_MS, { error: 'must lie in the years 1970 to 2261' });

const MOMENT = 'an RFC 3339 time, a day (UTC), or how long ago: 15m, 2h, 7d, 4w';

/** `from` is included, `to` is not. */
export const period = (clock: Clock) => ({
  from: moment(clock)
    .optional()
    .describe(`From here on: ${MOMENT}.`)
    .meta({ examples: ['24h', '2026-01-31T12:00:00Z'] }),
  to: moment(clock).optional().describe(`Up to here, which is not included: ${MOMENT}.`),
});

/** A parameter that may be repeated, up to so often. What is wrong is said of it as it was given, once or repeated. */
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

/** Any of its values. */
export function anyOf<Value extends z.ZodType<string>>(value: Value) {
  return oneOrMore(value, 100).optional().describe('May be repeated: any of them.');
}

/** Written plainly: no sign, no blank, no exponent, no hexadecimal. */
export const wholeNumberWithin = (least: number, most: number) => {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  const error = `give a whole number in plain digits, ${range}`;
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text),
    z.int({ error }).min(least, { error }).max(most, { error }),
  );
};

/** A count or an amount. */
export const wholeNumber = wholeNumberWithin(0, Number.MAX_SAFE_INTEGER);

export const limit = wholeNumberWithin(1, 1_000)
  .default(100)
  .describe('At most so many, 1 to 1,000. Default 100.');
