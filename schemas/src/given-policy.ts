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

type Given = { given?: readonly GivenPolicy[] | undefined };

/** None: it is of no rule, as the bounds of a tenant are, or the record is older than its telling. */
export function rulesThatGave(policy: string | undefined, mandate: Given | null): readonly string[] {
  return mandate?.given?.find((one) => one.policy === policy)?.rules ?? [];
}

/** `the rule "a" and 2 more`; nothing, where there are none. */
export function rulesInWords([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return `the rule "${first}"${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
