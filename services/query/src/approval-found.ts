/** The form of an approval in answers: the question, the decisions after the question, and the person's answer. */
import { approvals } from '@mandate/audit';
import {
  APPROVAL_ID_UNITS,
  approvalId,
  CODES,
  described,
  parsedJson,
  time,
  VERDICTS,
} from '@mandate/schemas';
import { z } from 'zod';

export const approvalFound = z.object({
  id: described(
    z.string().max(APPROVAL_ID_UNITS),
    'The id of the question. A person approves or denies it under this id.',
    'apr_WyJhaXJsaW5lLTAwNyJd',
  ),
  ...approvals.row.pick({
    decisionId: true,
    agentId: true,
    actionId: true,
    attempt: true,
    tool: true,
    code: true,
    reason: true,
    mandateId: true,
  }).shape,
  args: described(
    parsedJson,
    'The arguments of the call, as on the log: redacted or sealed values are redacted or sealed here too. null: no arguments.',
    { reservation: 'HATHAT', amount: 120 },
  ),
  costMicros: described(
    approvals.row.shape.costMicros,
    'The cost of the call by the limits that looked at it, in micro-dollars. null: no limit did.',
    20_000,
  ),
  estimatedCostMicros: described(
    approvals.row.shape.estimatedCostMicros,
    'What the caller believes that the call costs, in micro-dollars. null: the caller did not say.',
    20_000,
  ),
  risk: described(
    approvals.row.shape.risk,
    'The highest risk of the tool that a policy states. If none states it, the risk that the caller claims. null: neither.',
    'critical',
  ),
  principal: described(
    z
      .object({
        id: described(z.string(), 'The id of the user.', 'u1'),
        role: described(z.string().nullable(), 'The role of the user. null: none.', 'user'),
      })
      .nullable(),
    'The user for whom the agent acts. null: none.',
  ),
  context: described(
    z.record(z.string(), parsedJson),
    'What the caller said about the situation of the action, as on the log.',
    { environment: 'prod' },
  ),
  pinned: described(
    z.array(z.string()),
    'The fields of principal and context that the API key fixed. Everything else in them is a claim of the caller.',
    ['context.environment'],
  ),
  digest: described(
    z.string(),
    'The SHA-256 of the exact arguments, redacted values included. The answer holds for these arguments only.',
    'e1e73835b27823313abc982824acbddc97200ce67e99e3e672816a10d5a3afd2',
  ),
  since: described(time, 'When the question was asked.'),
  decided: described(
    z
      .object({
        id: described(z.string(), 'The id of the decision.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
        verdict: described(z.enum(VERDICTS), 'The verdict of the decision.'),
        code: described(z.enum(CODES), 'The code of the decision.'),
        at: described(time, 'When it was decided.'),
      })
      .nullable(),
    'The latest decision about the action after the question. null: nothing was decided after it.',
  ),
  answer: described(
    z
      .object({
        answer: described(z.enum(['granted', 'denied']), 'What the person answered.'),
        by: described(z.string(), 'The person or the API key that answered.', 'key:ops-laptop'),
        reason: described(z.string(), 'Why, in the words of the person.', 'checked with the customer'),
        at: described(time, 'When the person answered.'),
        expiresAt: described(time.nullable(), 'Until when the approval is valid. null: it was denied.'),
        usedBy: described(
          z.string().nullable(),
          'The decision that used the approval. null: no decision has used it.',
          'dec_01ke6qx4f8c6ede247811a2d78f78a',
        ),
      })
      .nullable(),
    'The latest answer to the question. null: no person has answered.',
  ),
});

export type ApprovalFound = z.output<typeof approvalFound>;

type Row = z.output<typeof approvals.row>;

export function shownApproval(row: Row): z.output<typeof approvalFound> {
  const { decidedId, decidedVerdict, decidedCode, decidedAt, arguments: args, ...question } = row;
  const { answer, answeredBy, answeredWhy, answeredAt, expiresAt, usedBy, ...asked } = question;
  const { principalId, principalRole, context, ...rest } = asked;
  return {
    id: approvalId(row),
    ...rest,
    principal: principalId === null ? null : { id: principalId, role: principalRole },
    context: context === null ? {} : JSON.parse(context),
    args: args === null ? null : JSON.parse(args),
    decided:
      decidedId === null || decidedVerdict === null || decidedCode === null || decidedAt === null
        ? null
        : { id: decidedId, verdict: decidedVerdict, code: decidedCode, at: decidedAt },
    answer:
      answer === null || answeredAt === null
        ? null
        : { answer, by: answeredBy ?? '', reason: answeredWhy ?? '', at: answeredAt, expiresAt, usedBy },
  };
}
