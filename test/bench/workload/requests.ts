import type { Outgoing } from '@mandate/bus';
import { agentKey, DEFAULTS } from '@mandate/schemas';
import { newActions } from './actions.ts';

/** Records for the actions topic, as the gateway writes them. */
export function newRequests(count: number): Outgoing[] {
  return newActions(count).map((action) => ({
    key: agentKey(DEFAULTS.tenant, action.agentId),
    value: JSON.stringify({
      event: 'action.requested',
      action: { ...action, tenant: DEFAULTS.tenant, requestedAt: new Date().toISOString() },
    }),
  }));
}
