/** A tenant as it is opened: how much there may be in it, and what all of it is held to. An unknown field is an error. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { budgetDocument, policyDocument } from './mandate-document.ts';
import { tenant } from './scalars.ts';
import { tenantLimits } from './tenant-limits.ts';

/**
 * The limits of a policy that applies without a rule. It is always enforced, and delegates nothing; a budget of scope
 * `mandate` would be a budget of the tenant.
 */
const tenantBounds = z.strictObject({
  ...policyDocument.omit({ version: true, id: true, mode: true, delegableTools: true }).shape,
  budgets: z
    .array(budgetDocument.extend({ scope: budgetDocument.shape.scope.exclude(['mandate']) }))
    .max(CAPS.budgetsPerMandate)
    .optional(),
});

export const tenantDocument = z
  .strictObject({
    version: z.literal(1).describe('The version of this format: always 1.'),
    id: tenant,
    name: z.string().min(1).max(CAPS.idUnits).optional().describe('A name for people.'),
    limits: tenantLimits.optional().describe('How much the tenant may contain and write.'),
    bounds: tenantBounds
      .optional()
      .describe('The tenant limits: a policy that every mandate of the tenant contains.'),
    directTopic: z.boolean().optional().describe('Whether the tenant publishes to its own topic.'),
  })
  .meta({
    title: 'tenant',
    description: 'A tenant: how much there may be in it, and what whatever it does is held to.',
  });
export type TenantDocument = z.output<typeof tenantDocument>;
