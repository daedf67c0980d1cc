/** What a write answers of what it lets through. */
import { z } from 'zod';

export const widens = z
  .array(z.string())
  .nullable()
  .describe(
    'What it lets through that was refused, by what stood right before it, a line each; empty: nothing. null: this very change ' +
      'was made before, under the same Idempotency-Key.',
  );
