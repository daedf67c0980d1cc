/**
 * Decisions, the newest first. Ids begin with their time, so the id is the page key: `before` is the last id of the
 * page one has, and the primary index goes straight there. A page with fewer rows than `limit` is the last.
 */
import { action, CODES, DECISION_KINDS, id, tenant, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_FRAGMENTS, period } from './analytics-filter.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';

export const searchDecisions = question({
  params: z.strictObject({
    tenant,
    agentId: id.optional(),
    actionId: id.optional(),
    verdict: z.enum(VERDICTS).optional(),
    code: z.enum(CODES).optional(),
    tool: id.optional(),
    type: z.enum(action.options.map((option) => option.shape.type.value)).optional(),
    kind: z.enum(DECISION_KINDS).optional(),
    ...period,
    before: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: decisionSummary,
  sql: (params) => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void${narrowed(params, {
      ...DECISION_FRAGMENTS,
      actionId: 'action_id = {actionId:String}',
      verdict: 'verdict = {verdict:String}',
      code: 'code = {code:String}',
      type: 'type = {type:String}',
      kind: 'kind = {kind:String}',
      before: 'id < {before:String}',
    })}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`,
});
