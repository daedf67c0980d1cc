import { CAPS, described } from '@mandate/schemas';
import { z } from 'zod';

/** How long a publisher waits for answers. */
export const waitQuery = z.strictObject({
  waitMs: described(
    z.coerce.number().int().min(0).max(CAPS.waitMs).default(0),
    'How long to wait for the answers, in milliseconds. The status is 202 if not every answer came in time. An ' +
      'action without a deadline gets this time as its deadline. Default: 0.',
    5_000,
  ),
});
