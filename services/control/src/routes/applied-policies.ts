/** Policies that apply, by name; whole where that is asked for: each may be a megabyte, and a hundred may apply. */
import { type PolicyDocument, policyDocument } from '@mandate/schemas';
import { z } from 'zod';

/** The size of all policies of an answer together, as JSON. */
const MOST_UNITS = 8 * 1024 * 1024;

/** In the query of a route that answers with them. */
export const expand = {
  expand: z
    .enum(['policies'])
    .optional()
    .describe('`policies`: with their documents, as many as have 8 Mi characters together.'),
};

export type Expanded = z.output<z.ZodObject<typeof expand>>;

export const appliedPolicies = z.array(
  z.object({
    name: z
      .string()
      .describe(
        '`read-only@3`: GET /v1/policies/read-only?version=3 shows it. `tenant acme@5`: the bounds of the tenant.',
      ),
    isMissing: z.boolean().describe('It is not there, or was archived, and blocks.'),
    policy: policyDocument.optional().describe('Only with `expand=policies`.'),
  }),
);

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
