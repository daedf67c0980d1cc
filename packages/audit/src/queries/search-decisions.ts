/**
 * Decisions, newest first. Ids begin with their time, so the id is the page key: `before` is the last id of the
 * previous page, and the primary index finds it directly. A page with fewer rows than `limit` is the last.
 *
 * FINAL would read every row before it returned the first (1 s of CPU for 10 million rows). So matching rows are
 * first read without FINAL, newest first, until there are enough. Then FINAL decides which of these ids count and
 * still match. If repeats leave too few rows, the rest is read the slow way. Logs rarely contain that many repeats.
 */
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { decisionFilter, decisionsNarrowed } from './decision-filter.ts';

/**
 * The number of rows to read for each wanted row. If a log is recorded again, the table contains every row at least
 * twice.
 */
const TAKEN = 4;

export const searchDecisions = question({
  params: decisionFilter.extend({
    before: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: decisionSummary,
  sql({ before, limit: _, ...filter }) {
    const matching = `tenant = {tenant:String} AND NOT void${decisionsNarrowed(filter)}${narrowed({ before }, { before: 'id < {before:String}' })}`;
    const most = `${TAKEN} * {limit:UInt32}`;
    return `
    WITH
      (SELECT groupArray(id) FROM (SELECT id FROM decisions WHERE ${matching} ORDER BY id DESC LIMIT ${most})) AS taken,
      (
        SELECT count() FROM decisions FINAL
        WHERE length(taken) = ${most} AND id IN (SELECT arrayJoin(taken)) AND ${matching}
      ) AS stand,
      length(taken) = ${most} AND stand < {limit:UInt32} AS are_too_few
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE (id IN (SELECT arrayJoin(taken)) OR (are_too_few AND id < taken[-1])) AND ${matching}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`;
  },
});
