/** Reads the decisions back through the query service, in the form of the expected results. */
import { createHash } from 'node:crypto';
import type { createApiClient } from '@mandate/client';
import type { ActionRequested } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import type { Scenario } from './scenario.ts';

type Api = ReturnType<typeof createApiClient>;
type Found = { actionId: string; agentId: string; verdict: string; code: string };
type Page = { decisions: readonly Found[]; next: string | null };
type Codes = { codes: readonly { code: string; decisions: number }[] };

/** Waits until the audit has this number of decisions of the key's tenant, and returns all of them. */
export async function readBack(api: Api, count: number, withinMs?: number): Promise<Found[]> {
  const recorded = async () => {
    const { codes } = await api.get<Codes>('/v1/audit/analytics/codes');
    return codes.reduce((sum, { decisions }) => sum + decisions, 0) >= count;
  };
  await waitUntil('every decision on record', recorded, withinMs);
  const found: Found[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page: Page = await api.get('/v1/audit/decisions', { limit: 200, cursor });
    found.push(...page.decisions);
    cursor = page.next ?? undefined;
    more = cursor !== undefined;
  }
  return found;
}

/** Returns the decisions about these requests, in the order of the requests. */
export function answersTo(
  requests: readonly ActionRequested[],
  found: readonly Found[],
): Pick<Scenario, 'decisions' | 'agentsWithABlock' | 'sequenceSha256'> {
  const name = ({ agentId, actionId }: { agentId: string; actionId: string }) => `${agentId} ${actionId}`;
  const byAction = new Map(found.map((decision) => [name(decision), decision]));
  const decisions: Record<string, number> = {};
  const blocked = new Set<string>();
  const sequence = requests.map(({ action }) => {
    const decision = byAction.get(name({ agentId: action.agentId, actionId: action.id }));
    const answer = decision?.verdict === 'ALLOW' ? 'ALLOW' : (decision?.code ?? 'NONE');
    decisions[answer] = (decisions[answer] ?? 0) + 1;
    if (answer !== 'ALLOW') blocked.add(action.agentId);
    return answer;
  });
  const sequenceSha256 = createHash('sha256').update(sequence.join('\n')).digest('hex');
  return { decisions, agentsWithABlock: blocked.size, sequenceSha256 };
}
