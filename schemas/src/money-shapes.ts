/** The shapes of amounts of money in records and in documents: see money.ts. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { dollarsToMicros, signedMicros } from './money.ts';

export const micros = z.int().min(0).max(CAPS.amountMicros);

export const microsDelta = z.int().min(-CAPS.amountMicros).max(CAPS.amountMicros);

export const dollarsDelta = z
  .number()
  .refine((amount) => signedMicros(amount) !== null, {
    error: 'must be an amount in dollars, with at most six decimals (-0.25)',
  })
  .meta({ examples: [-0.25] });

export const dollars = z
  .number()
  .refine((amount) => dollarsToMicros(amount) !== null, {
    error: 'must be an amount in dollars, zero or more, with at most six decimals (0.25)',
  })
  .meta({
    minimum: 0,
    maximum: CAPS.amountMicros / 1e6,
    examples: [0.25],
  });
