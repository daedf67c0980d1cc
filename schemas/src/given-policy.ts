/**
 * The rules that gave a policy to an agent. They are a list and not a map, because a rule id such as `__proto__` has
 * a special meaning as a key.
 */
import { z } from 'zod';
import { described } from './described.ts';

export const givenPolicy = z.object({
  policy: described(
    z.string(),
    'The version of the policy: `read-only@3`. That of an ancestor: `read-only@3 of lead`.',
    'read-only@3',
  ),
  rules: described(z.array(z.string()), 'The rules that gave the policy.', ['support-reads']),
  claims: described(
    z.array(z.string()).optional(),
    'The claims of the caller that these rules used: `context.environment`. Absent if the rules used no claims.',
    ['context.environment'],
  ),
});
export type GivenPolicy = z.infer<typeof givenPolicy>;
