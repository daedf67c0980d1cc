/** How decisions fell: by verdict, the most frequent first. Every record counts, duplicates too. */
import { VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { analyticsFilter, DECISION_FRAGMENTS } from './analytics-filter.ts';

export const verdicts = question({
  params: analyticsFilter,
  row: z.object({
    verdict: z.enum(VERDICTS),
    decisions: z.int(),
    /** Of these: let through only because the mandate observes. */
    observed: z.int(),
  }),
  sql: (params) => `
    SELECT verdict, count() AS decisions, countIf(observed_verdict != '') AS observed
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void${narrowed(params, DECISION_FRAGMENTS)}
    GROUP BY verdict
    ORDER BY decisions DESC, verdict`,
});
