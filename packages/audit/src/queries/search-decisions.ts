/**
 * Decisions, the newest first. Ids begin with their time, so the id is the page key: `before` is the last id of the
 * page one has, and the primary index goes straight there. A page with fewer rows than `limit` is the last.
 */
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { decisionFilter, decisionsNarrowed } from './decision-filter.ts';

export const searchDecisions = question({
  params: decisionFilter.extend({
    before: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: decisionSummary,
  sql: ({ before, limit: _, ...filter }) => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void${decisionsNarrowed(filter)}${narrowed({ before }, { before: 'id < {before:String}' })}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`,
});
