/** The agent of the examples with an adapter and an approval: a clerk whose payments a person must approve. */
import { Mandate } from '@mandate/sdk';

export const mandate = new Mandate({
  agentId: 'clerk',
  mandate: {
    maxCostTotal: 100,
    allowedModels: ['gpt-4o'],
    toolPolicies: { pay: { cost: 40, requiresConfirmation: true } },
  },
});
