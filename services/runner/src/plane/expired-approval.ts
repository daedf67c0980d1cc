/** An approval that expired before the action was asked again. A person must give another one. */
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
