import { type AuditClient, ask, decisionsOfAction } from '@mandate/audit';
import { type Decision, readDecisionsRecord } from '@mandate/schemas';

export type FindDecision = (
  tenant: string,
  action: { actionId: string; agentId?: string | undefined; attempt?: number | undefined },
) => Promise<Decision | null>;

/**
 * Finds the decision that stands for an action, as far as it is recorded: of the newest attempt, unless one is asked
 * for. Where several agents' actions share the id and none is named, the one decided last answers. Null when none is.
 */
export function createFindDecision(audit: AuditClient): FindDecision {
  return async (tenant, { attempt, ...action }) => {
    const rows = await ask(audit, decisionsOfAction, { tenant, ...action });
    const standing = attempt === undefined ? rows.filter(({ stands }) => stands) : inAttempt(rows, attempt);
    const newest = standing.reduce<Row | null>(
      (best, row) => (best === null || row.decidedAt > best.decidedAt ? row : best),
      null,
    );
    return newest === null ? null : decisionIn(newest);
  };
}

type Row = {
  agentId: string;
  attempt: number;
  kind: string;
  verdict: string;
  decidedAt: string;
  payload: string;
};

/** Of each agent, by the rule of `decisionsOfAction`: a decision proper, settled, first by log order. */
function inAttempt(rows: readonly Row[], attempt: number): Row[] {
  const byAgent = new Map<string, Row>();
  for (const row of rows) {
    if (row.attempt !== attempt) continue;
    const best = byAgent.get(row.agentId);
    if (best === undefined || rank(row) < rank(best)) byAgent.set(row.agentId, row);
  }
  return [...byAgent.values()];
}

function rank({ kind, verdict }: Row): number {
  return (kind === 'duplicate' ? 2 : 0) + (verdict === 'DEFER' ? 1 : 0);
}

function decisionIn({ payload }: Row): Decision | null {
  const record = readDecisionsRecord(new TextEncoder().encode(payload));
  return record.event === 'action.decided' ? record.decision : null;
}
