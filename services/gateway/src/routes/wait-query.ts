import { CAPS } from '@mandate/schemas';
import { z } from 'zod';

/** How long a publisher waits for answers. */
export const waitQuery = z.strictObject({
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(CAPS.waitMs)
    .default(0)
    .describe(
      'Wait at most so long. 202 says that not every answer came in time. Actions without a deadline get this one.',
    ),
});
