/** Which rules gave a policy to an agent. A list and no map: an id may be a name that means something else as a key. */
import { z } from 'zod';

export const givenPolicy = z.object({
  /** As checks name it: `read-only@3`, of an agent above `read-only@3 of lead`, and its rules likewise. */
  policy: z.string(),
  rules: z.array(z.string()),
  /** What the rules looked at that the caller says of itself: `context.environment`. Absent: nothing. */
  claims: z.array(z.string()).optional(),
});
export type GivenPolicy = z.infer<typeof givenPolicy>;
