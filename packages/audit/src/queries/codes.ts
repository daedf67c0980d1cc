/**
 * Why decisions fell as they did: by code and verdict, the most frequent first. What an observing mandate would have
 * said is told apart by `observedCode`.
 */
import { CODES, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { analyticsFilter, DECISION_FRAGMENTS } from './analytics-filter.ts';

const noneIfEmpty = z.enum([...CODES, '']).transform((code) => (code === '' ? null : code));

export const codes = question({
  params: analyticsFilter,
  row: z.object({
    code: z.enum(CODES),
    verdict: z.enum(VERDICTS),
    observedCode: noneIfEmpty,
    decisions: z.int(),
  }),
  sql: (params) => `
    SELECT code, verdict, observed_code AS observedCode, count() AS decisions
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void${narrowed(params, DECISION_FRAGMENTS)}
    GROUP BY code, verdict, observed_code
    ORDER BY decisions DESC, code, verdict, observedCode`,
});
