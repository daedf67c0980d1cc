/** Which rules gave a policy to an agent. A list and no map: an id may be a name that means something else as a key. */
import { z } from 'zod';

export const givenPolicy = z.object({
  policy: z
    .string()
    .describe('The version of the policy: `read-only@3`. That of an ancestor: `read-only@3 of lead`.'),
  rules: z.array(z.string()).describe('The rules that gave the policy.'),
  claims: z
    .array(z.string())
    .optional()
    .describe('The claims of the caller that these rules used: `context.environment`.'),
});
export type GivenPolicy = z.infer<typeof givenPolicy>;
