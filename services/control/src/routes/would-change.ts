/** The answer to a write with `dryRun=true`. */
import { count, described, id } from '@mandate/schemas';
import { z } from 'zod';
import { lint } from './show-lint.ts';
import { widens } from './widens.ts';

export const wouldChange = z.object({
  dryRun: described(z.literal(true), 'This answers a dry run: nothing was changed.', true),
  event: described(z.string(), 'The event that the change would record.', 'policy.published'),
  revision: described(
    count,
    'The current revision of the document, for If-Match. 0: the document does not exist.',
    42,
  ),
  version: described(
    z.int().min(1).nullable(),
    'The version that a policy would get. null: no policy would be published.',
    4,
  ),
  isRepeat: described(
    z.boolean(),
    'Whether the same change was made before, under its Idempotency-Key. Then it would change nothing.',
    false,
  ),
  widens,
  lint,
  agents: described(
    z.object({
      ids: described(z.array(id), 'The ids of these agents, at most 100.', ['airline-007']),
      isComplete: described(z.boolean(), 'Whether `ids` has all of these agents.', true),
    }),
    'The agents to which the document applies, before or after the change.',
  ),
});
