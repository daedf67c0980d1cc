/** A clerk that needs an approval for each payment. Two examples use this agent, each with another adapter. */
import { Mandate } from '@mandate/sdk';

export const mandate = new Mandate({
  agentId: 'clerk',
  mandate: {
    maxCostTotal: 100,
    allowedModels: ['gpt-4o'],
    toolPolicies: { pay: { cost: 40, requiresConfirmation: true } },
  },
});
