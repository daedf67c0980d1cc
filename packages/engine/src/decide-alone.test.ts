/**
 * Shows that a program can decide actions itself, with a policy, the engine and a ledger in memory. The program needs
 * no log, server or service.
 */

import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { contentFinders } from '@mandate/privacy';
import { expect, test } from 'vitest';
import { offlineDecider } from './offline/offline-decider.ts';

test('decides actions without a log, a server or a service', async () => {
  const loaded = loadMandates(`
    version: 1
    id: ten-lines
    agents: [bot]
    maxCostTotal: 1.00
    toolPolicies: { pay: { cost: 0.60 } }`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const decider = offlineDecider(
    mandatesOfFile(loaded.mandates, 1),
    (action) => action,
    Date.now,
    contentFinders,
  );
  const decide = (id: string, tool: string) =>
    decider.answer(
      Buffer.from(
        JSON.stringify({
          event: 'action.requested',
          action: { id, agentId: 'bot', type: 'tool_call', tool },
        }),
      ),
    );

  expect(await decide('act-1', 'pay')).toMatchObject({
    decision: { verdict: 'ALLOW', chargedMicros: 600_000 },
  });
  expect(await decide('act-2', 'pay')).toMatchObject({
    decision: { verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED' },
  });
});
