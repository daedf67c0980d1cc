/** How routes read the id of an approval, and how they show its state. The id contains the question, so no audit is needed. */
import {
  APPROVAL_ID_UNITS,
  type ApprovalSubject,
  approvalId,
  described,
  readApprovalId,
  time,
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

/** The fields of an approval that an agent may see. */
export const approvalState = {
  state: described(
    z.enum(['waiting', 'granted', 'denied', 'expired']),
    'The state of the question. `waiting`: no person has answered. `granted`: send the same action again, with the same id and attempt, before `expiresAt`. `expired`: the approval ran out, and a person may give another.',
  ),
  expiresAt: described(
    time.nullable(),
    'The time until which the approval is valid. null: there is no approval.',
  ),
};

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
