import type { Decision } from '@mandate/schemas';
import { type ApiClient, ApiProblem } from '../api-client.ts';
import { CommandFailure } from '../command-context.ts';

/** Of a decision, what a person needs in order to answer it. */
export type DeferredDecision = Pick<
  Decision,
  'id' | 'agentId' | 'actionId' | 'attempt' | 'tool' | 'verdict' | 'code' | 'digest' | 'decidedAt'
> & { action: { args?: unknown } };

export async function decisionById(api: ApiClient, id: string): Promise<DeferredDecision> {
  const path = `/v1/audit/decisions/${encodeURIComponent(id)}`;
  const { decision } = await api.get<{ decision: DeferredDecision }>(path);
  const { agentId, actionId, attempt, tool, verdict, code, digest, decidedAt, action } = decision;
  return { id: decision.id, agentId, actionId, attempt, tool, verdict, code, digest, decidedAt, action };
}

type Asked = Pick<Decision, 'agentId' | 'actionId' | 'attempt'>;

/** The verdict that stands for the action now: it may have been sent again since, and be decided anew. */
export async function standingVerdict(api: ApiClient, action: Asked): Promise<Decision['verdict']> {
  const { agentId, actionId, attempt } = action;
  const path = `/v1/actions/${encodeURIComponent(actionId)}`;
  try {
    const { decision } = await api.get<{ decision: Decision }>(path, { agentId, attempt });
    return decision.verdict;
  } catch (error) {
    // A gateway that runs alone remembers the newest decisions, and has no audit to look further back in.
    if (error instanceof ApiProblem && error.code === 'DECISION_NOT_FOUND')
      return verdictOnRecord(api, action);
    throw error;
  }
}

type Row = Pick<Decision, 'attempt' | 'kind' | 'verdict'>;

async function verdictOnRecord(
  api: ApiClient,
  { agentId: agent, actionId, attempt }: Asked,
): Promise<Decision['verdict']> {
  const query = { agent, actionId, limit: 1_000 };
  const { decisions } = await api.get<{ decisions: readonly Row[] }>('/v1/audit/decisions', query);
  const settled = decisions.find(
    (row) => row.attempt === attempt && row.kind !== 'duplicate' && row.verdict !== 'DEFER',
  );
  return settled?.verdict ?? 'DEFER';
}

/** The decision, which must be one that waits for a person still. */
export async function deferredDecision(api: ApiClient, id: string): Promise<DeferredDecision> {
  const decision = await decisionById(api, id);
  if (decision.verdict !== 'DEFER') throw waitsForNobody(`${id} is ${decision.verdict} (${decision.code})`);
  const standing = await standingVerdict(api, decision);
  if (standing === 'DEFER') return decision;
  throw waitsForNobody(`${decision.actionId} was decided anew since: ${standing}`);
}

function waitsForNobody(why: string): CommandFailure {
  return new CommandFailure(
    2,
    `nothing waits for a person there: ${why}`,
    '`mandate approvals` lists what does.',
  );
}
