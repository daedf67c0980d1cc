import { sumMicros } from '@mandate/schemas';
import { z } from 'zod';

/**
 * A sum of amounts, in micro-dollars. Each amount is at most 2^53-1, so a sum of two may be more, which no number here can
 * hold: such a sum is given as ±(2^53-1). That figure therefore means "so much, or more".
 */
export const summedMicros = z
  .number()
  .refine((sum) => Number.isInteger(sum))
  .transform((sum) => sumMicros(sum))
  .pipe(z.int());
