/** An approval as answers show it: the question, the decisions since, and the person's answer. */
import { approvals } from '@mandate/audit';
import { APPROVAL_ID_UNITS, approvalId, CODES, parsedJson, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';

export const approvalFound = z.object({
  id: z.string().max(APPROVAL_ID_UNITS).describe('By which it is granted or denied.'),
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
  args: parsedJson.describe(
    'As on record: what was redacted or sealed is so here; null where there are none.',
  ),
  costMicros: approvals.row.shape.costMicros.describe(
    'What the limits took the call to cost; null if none looked at the cost.',
  ),
  estimatedCostMicros: approvals.row.shape.estimatedCostMicros.describe(
    'What the caller said that it costs.',
  ),
  principal: z.object({ id: z.string(), role: z.string().nullable() }).nullable(),
  context: z.record(z.string(), parsedJson),
  pinned: z
    .array(z.string())
    .describe(
      'Fields of principal and context that the API key fixed; all else in them is a claim of the caller.',
    ),
  digest: z.string().describe('Of the exact arguments, those that are hidden included.'),
  since: time,
  decided: z
    .object({ id: z.string(), verdict: z.enum(VERDICTS), code: z.enum(CODES), at: time })
    .nullable()
    .describe('What was decided last; null while it waits.'),
  answer: z
    .object({
      answer: z.enum(['granted', 'denied']),
      by: z.string(),
      reason: z.string(),
      at: time,
      expiresAt: time.nullable().describe('Of a grant.'),
      usedBy: z.string().nullable().describe('The decision that used the grant up.'),
    })
    .nullable()
    .describe('The last one to this question.'),
});

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
