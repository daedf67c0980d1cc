import type { ActionSettled } from '@mandate/schemas';

/** A record of an SDK, for the description of the route. */
export const EXAMPLE: ActionSettled = {
  event: 'action.settled',
  settlement: {
    id: 'stl_01ke6qxg686df5e8581187a725d3b0',
    kind: 'settled',
    actionId: 'act_7f3a',
    attempt: 1,
    tenant: 'default',
    agentId: 'airline-007',
    status: 'success',
    verified: true,
    actualCostMicros: 91000,
    reportedBy: { keyId: null, mayRelease: false },
    late: false,
    deltaMicros: -9000,
    chargedMicros: 91000,
    cumulativeMicros: 331000,
    excessMicros: 0,
    releasedMicros: 0,
    code: 'SETTLED',
    marks: [],
    reason: 'The action costs $0.091 in all.',
    completedAt: '2026-01-05T09:30:02.000Z',
    settledAt: '2026-01-05T09:30:53.233Z',
    source: { topic: 'local/2f1c9b0a-7c1e-4d6a-9a40-3f5f0c1a2b3c', partition: 0, offset: 4 },
    ledgerEpoch: 'epoch_01kc7d5k0g',
    ledgerSequence: 324,
  },
};
