/** What waits for a person: deferred actions on which no other decision has fallen since. */
import type { ApiClient } from '../api-client.ts';
import { rowsOf } from '../pages.ts';
import { type DeferredDecision, decisionById, standingVerdict } from './deferred-decision.ts';

export type Waiting = DeferredDecision;

type Found = { id: string; actionId: string; attempt: number; agentId: string };
type Page = { decisions: readonly Found[]; next: string | null };

const PAGE = 100;

/** Newest first; of an action that was deferred several times, the newest deferral. */
export async function* waitingActions(
  api: ApiClient,
  filters: { agent: string | undefined; from: string },
  limit: number,
): AsyncGenerator<Waiting> {
  const seen = new Set<string>();
  const deferrals = rowsOf(api, {
    path: '/v1/audit/decisions',
    query: { ...filters, verdict: 'DEFER' },
    cursor: 'cursor',
    pageSize: PAGE,
    rows: ({ decisions }: Page) => decisions,
  });
  for await (const { id, agentId, actionId, attempt } of deferrals) {
    if (seen.size >= limit) return;
    const name = JSON.stringify([agentId, actionId]);
    if (seen.has(name)) continue;
    if ((await standingVerdict(api, { agentId, actionId, attempt })) !== 'DEFER') continue;
    seen.add(name);
    yield await decisionById(api, id);
  }
}
