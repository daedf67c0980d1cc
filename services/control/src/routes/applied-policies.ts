/**
 * Lists the policies that apply, by name. Their documents are added only on request, because one document may have a
 * megabyte and a hundred policies may apply.
 */
import { described, type PolicyDocument, policyDocument } from '@mandate/schemas';
import { z } from 'zod';

/** The highest number of JSON characters in all policy documents of an answer. */
const MOST_UNITS = 8 * 1024 * 1024;

/** The query parameter `expand` of the routes that answer with policies. */
export const expand = {
  expand: described(
    z.enum(['policies']).optional(),
    'Whether to return the documents of the policies too, 8 Mi characters at most.',
    'policies',
  ),
};

export type Expanded = z.output<z.ZodObject<typeof expand>>;

export const appliedPolicies = z
  .array(
    z.object({
      name: described(
        z.string(),
        'The policy with its version. `tenant acme@5`: the tenant limits.',
        'read-only@3',
      ),
      isMissing: described(
        z.boolean(),
        'Whether the policy does not exist or is archived. Its rules then block.',
        false,
      ),
      policy: described(
        policyDocument.optional(),
        'The document of the policy. Absent without `expand=policies`.',
      ),
    }),
  )
  .describe('The policies that apply, with their versions.');

export function shownPolicies(
  policies: ReadonlyMap<string, PolicyDocument | null>,
  query: Expanded,
): z.output<typeof appliedPolicies> {
  let left = query.expand === 'policies' ? MOST_UNITS : 0;
  return [...policies].map(([name, policy]) => {
    const named = { name, isMissing: policy === null };
    if (policy === null || left <= 0) return named;
    left -= JSON.stringify(policy).length;
    return left < 0 ? named : { ...named, policy };
  });
}
