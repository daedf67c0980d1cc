/** What a caller may write behind the `?`: every parameter is known, and every value is checked before it is used. */
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

/** The last moment that ClickHouse can hold. */
export const END_OF_TIME_MS = Date.UTC(2262, 0, 1) - 1;

const timeMs = time
  .transform((written) => Date.parse(written))
  .refine((atMs) => atMs >= 0 && atMs <= END_OF_TIME_MS, { error: 'must lie in the years 1970 to 2261' });

/** Both as RFC 3339; `from` is included, `to` is not. */
export const period = {
  from: timeMs.optional().describe('From this RFC 3339 time on.'),
  to: timeMs.optional().describe('Up to this RFC 3339 time, which is not included.'),
};

/** A whole number written plainly: no sign, no blank, no exponent, no hexadecimal. */
export const limit = z
  .preprocess((text) => (typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : text), z.int())
  .pipe(z.int().min(1).max(1_000))
  .default(100)
  .describe('At most so many, 1 to 1,000. Default 100.');
