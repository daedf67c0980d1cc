/** Makes the records of an SDK that decides in its own process, with the real engine. */
import { localDecider } from '@mandate/engine';
import { createMemoryLedger } from '@mandate/ledger';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { monotonic, systemClock } from '@mandate/runtime';
import type { ActionDecided, ActionSettled } from '@mandate/schemas';

const MANDATES = 'version: 1\nid: sdk\nagents: ["*"]\nmaxCostTotal: 5\ntoolPolicies: { pay: { cost: 5 } }\n';

/** Returns an ALLOW of 5 dollars, its settlement, and a BLOCK. */
export async function sdkRecords(
  agentId = 'bot-1',
): Promise<{ allow: ActionDecided; settled: ActionSettled; block: ActionDecided }> {
  const loaded = loadMandates(MANDATES);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const clock = monotonic(systemClock);
  const ledger = createMemoryLedger({ clock, epoch: 'ep_sdk' });
  const control = mandatesOfFile(loaded.mandates, 0);
  const decider = localDecider({ ledger, control, redact: compileActionRedaction(), clock });
  const decide = async (id: string): Promise<ActionDecided> => {
    const action = { id, agentId, type: 'tool_call', tool: 'pay', args: { to: 'ann' } } as const;
    const decision = await decider.deliverRequest({ event: 'action.requested', action })();
    return { event: 'action.decided', decision };
  };
  const allow = await decide('act_1');
  const settlement = await decider.deliverOutcome({ actionId: 'act_1', agentId, status: 'success' })();
  return { allow, settled: { event: 'action.settled', settlement }, block: await decide('act_2') };
}
