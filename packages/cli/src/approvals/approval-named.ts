import type { ApiClient } from '@mandate/client';
import { type ApprovalSubject, approvalId, type Decision, readApprovalId } from '@mandate/schemas';
import { CommandFailure, WrongUse } from '../exit-codes.ts';
import type { Approval } from './approval.ts';

type ApprovalNamed = {
  id: string;
  agentId: string;
  actionId: string;
  /** The approval as the audit returns it, or a failure if the audit does not answer. */
  asked: Approval | CommandFailure;
};

/** Finds an approval by its own id, or by the id of a decision that the audit knows. */
export async function approvalNamed(api: ApiClient, id: string): Promise<ApprovalNamed> {
  const subject = id.startsWith('dec_') ? await subjectOf(api, id) : readApprovalId(id);
  if (subject !== null) {
    const { agentId, actionId } = subject;
    const approval = approvalId(subject);
    return { id: approval, agentId, actionId, asked: await askedIn(api, approval) };
  }
  throw new WrongUse(
    `${id} is the id of neither an approval nor a decision`,
    '`mandate approvals list` shows both: apv_…, dec_….',
  );
}

/** A failure is returned, not thrown: a person can answer even if the audit does not respond. */
async function askedIn(api: ApiClient, id: string): Promise<ApprovalNamed['asked']> {
  try {
    return await api.get<Approval>(`/v1/approvals/${id}`);
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

async function subjectOf(api: ApiClient, id: string): Promise<ApprovalSubject> {
  const path = `/v1/audit/decisions/${encodeURIComponent(id)}`;
  const { decision } = await api.get<{ decision: Decision }>(path);
  return decision;
}
