import { type AuditClient, ask, decisionsOfAction } from '@mandate/audit';
import { type Decision, readDecisionsRecord } from '@mandate/schemas';

export type FindDecision = (
  tenant: string,
  action: { actionId: string; agentId?: string | undefined; attempt?: number | undefined },
) => Promise<Decision | null>;

/**
 * Returns a function that finds the valid decision about an action in the audit. If no attempt is given, the newest
 * attempt counts. If no agent is given, the newest decision of any agent counts. Null if no decision is found.
 */
export function createFindDecision(audit: AuditClient): FindDecision {
  return async (tenant, action) => {
    const rows = await ask(audit, decisionsOfAction, { tenant, ...action });
    const standing = rows.filter(({ stands }) => stands);
    const newest = standing.reduce<Row | null>(
      (best, row) => (best === null || row.decidedAt > best.decidedAt ? row : best),
      null,
    );
    return newest === null ? null : decisionIn(newest);
  };
}

type Row = { decidedAt: string; payload: string };

function decisionIn({ payload }: Row): Decision | null {
  const record = readDecisionsRecord(new TextEncoder().encode(payload));
  return record.event === 'action.decided' ? record.decision : null;
}
