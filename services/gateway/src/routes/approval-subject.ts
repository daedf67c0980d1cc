/** The id of an approval in a path. It contains the question, so no audit is needed to read it. */
import {
  APPROVAL_ID_UNITS,
  type ApprovalSubject,
  approvalId,
  described,
  readApprovalId,
} from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';

const EXAMPLE = { agentId: 'airline-007', actionId: 'act_1', digest: 'the-digest-of-the-decision' };

export const approvalParams = z.object({
  id: described(
    z.string().min(1).max(APPROVAL_ID_UNITS),
    'The id of the approval. `GET /v1/approvals` and the remedy of the decision contain it.',
    approvalId(EXAMPLE),
  ),
});

export function subjectOf(id: string): ApprovalSubject {
  const subject = readApprovalId(id);
  if (subject !== null) return subject;
  throw approvalNotFound();
}

export function approvalNotFound(): HttpProblem {
  return new HttpProblem(404, 'APPROVAL_NOT_FOUND', 'no approval has this id', {
    remedy: 'GET /v1/approvals lists the questions, each with its id (apv_…).',
  });
}
