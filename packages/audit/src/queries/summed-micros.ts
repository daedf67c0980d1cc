import { sumMicros } from '@mandate/schemas';
import { z } from 'zod';

/**
 * A sum of amounts, in micro-dollars. One amount is at most 2^53-1, so a sum may exceed the exact numbers of
 * JavaScript. Such a sum is returned as ±(2^53-1), which means "this much or more".
 */
export const summedMicros = z
  .number()
  .refine((sum) => Number.isInteger(sum))
  .transform((sum) => sumMicros(sum))
  .pipe(z.int());
