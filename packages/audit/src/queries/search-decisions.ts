/**
 * Decisions, the newest first. Ids begin with their time, so the id is the page key: `before` is the last id of the
 * page one has, and the primary index goes straight there. A page with fewer rows than `limit` is the last.
 *
 * FINAL would look at every row before it gave the first (1 s of CPU where there are 10 million). So rows that match are
 * taken as they lie, from the newest on, which ends as soon as there are enough; then FINAL says which of these ids
 * stand and still match. Where repeats leave too few of them, which takes more repeats than a log ever held, the rest
 * is asked for the slow way.
 */
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { decisionFilter, decisionsNarrowed } from './decision-filter.ts';

/** So many rows are taken for each that is wanted: a log that was recorded again has every one of them twice or more. */
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
