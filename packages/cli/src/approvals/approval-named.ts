import { type ApprovalSubject, approvalId, type Decision, readApprovalId } from '@mandate/schemas';
import type { ApiClient } from '../api-client.ts';
import { CommandFailure } from '../command-context.ts';

export type Approval = { id: string; agentId: string; actionId: string };

/** The approval that is meant: by its own id, or by that of a decision on what it is about, which the audit tells. */
export async function approvalNamed(api: ApiClient, id: string): Promise<Approval> {
  const subject = id.startsWith('dec_') ? await subjectOf(api, id) : readApprovalId(id);
  if (subject !== null) {
    const { agentId, actionId } = subject;
    return { id: approvalId(subject), agentId, actionId };
  }
  throw new CommandFailure(
    2,
    `${id} is the id of neither an approval nor a decision`,
    '`mandate approvals` shows both: apv_…, dec_….',
  );
}

async function subjectOf(api: ApiClient, id: string): Promise<ApprovalSubject> {
  const path = `/v1/audit/decisions/${encodeURIComponent(id)}`;
  const { decision } = await api.get<{ decision: Decision }>(path);
  return decision;
}
