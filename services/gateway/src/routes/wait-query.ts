import { z } from 'zod';
import { MAX_WAIT_MS } from '../publish/publish-records.ts';

/** How long a publisher waits for answers. */
export const waitQuery = z.strictObject({
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .default(0)
    .describe(
      'Wait at most so long. 202 says that not every answer came in time. Actions without a deadline get this one.',
    ),
});
