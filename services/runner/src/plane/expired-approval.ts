/** An approval that expired before the action was requested again. A person must approve again. */
import { approvalId } from '@mandate/schemas';
import type { Decision } from '@mandate/sdk/plane';

/** Null: the action was refused for another reason. */
export function expiredApproval({
  code,
  decision,
}: {
  code: string;
  decision: Decision | null;
}): { approvalId: string; isExpired: true } | null {
  if (code !== 'APPROVAL_EXPIRED' || decision === null) return null;
  return { approvalId: approvalId(decision), isExpired: true };
}
