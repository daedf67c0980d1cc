/** The document of a tenant: how much it may contain, and its tenant limits. An unknown field is an error. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import {
  budgetDocument,
  policyDocument,
  tokenWindowDocument,
  toolCallWindowDocument,
} from './mandate-document.ts';
import { tenant } from './scalars.ts';
import { tenantQuotas } from './tenant-quotas.ts';

const scope = described(
  budgetDocument.shape.scope.exclude(['mandate']),
  'Who shares the counter: each agent, each principal, or the tenant.',
);

/**
 * The tenant limits: a policy that applies without a rule. They are always enforced, and delegate nothing. Scope
 * `mandate` is not possible, because such a budget would be a budget of the tenant.
 */
const tenantLimits = z.strictObject({
  ...policyDocument.omit({ version: true, id: true, mode: true, delegableTools: true }).shape,
  budgets: described(
    z.array(budgetDocument.extend({ scope })).max(CAPS.budgetsPerMandate).optional(),
    'Budgets that all agents of the tenant share, or that each agent or principal has.',
  ),
  tokensPerWindow: described(
    z.array(tokenWindowDocument.extend({ scope })).max(CAPS.budgetsPerMandate).optional(),
    'The tokens that may be used in a sliding window, by all agents of the tenant, or by each agent or principal.',
  ),
  toolCallsPerWindow: described(
    z.array(toolCallWindowDocument.extend({ scope })).max(CAPS.budgetsPerMandate).optional(),
    'The calls of tools that answers of models may ask for in a sliding window, for all agents of the tenant, or for each agent or principal.',
  ),
});

export const tenantDocument = z
  .strictObject({
    version: described(z.literal(1), 'The version of this format: always 1.'),
    id: described(tenant, 'The id of the tenant.', 'acme'),
    name: described(z.string().min(1).max(CAPS.idUnits).optional(), 'A name for people.', 'Acme Airlines'),
    quotas: described(tenantQuotas.optional(), 'The quotas: how much the tenant may contain and write.'),
    limits: described(
      tenantLimits.optional(),
      'The tenant limits: a policy that every mandate of the tenant contains.',
    ),
    forbidsOwnApproval: described(
      z.boolean().optional(),
      'Whether people may not answer for actions that they asked for: the principal of the action has the name of the key. Default: false.',
      true,
    ),
    directTopic: described(
      z.boolean().optional(),
      'Whether the tenant may publish to a topic of its own. Default: false.',
      true,
    ),
  })
  .meta({
    title: 'tenant',
    description: 'A tenant: its quotas and its tenant limits.',
  });
export type TenantDocument = z.output<typeof tenantDocument>;
