/** The budgets and rates that a decision was checked against: their values before and after it. */
import { BUDGET_SCOPES, type Decision, sumMicros } from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { parseEvidence } from './parse-evidence.ts';

export const limitsMoved = z.object({
  budgets: z.array(
    z.object({
      scope: z.enum(BUDGET_SCOPES),
      id: z.string(),
      holder: z.string().optional().describe('The agent above whose it is; absent: of the one that asked.'),
      windowMs: z.int().nullable().describe('null: for ever.'),
      beforeMicros: microsField,
      before: dollarsField,
      afterMicros: microsField,
      after: dollarsField,
      maxMicros: microsField.nullable().describe('null: counted, not limited.'),
      max: dollarsField.optional(),
    }),
  ),
  rates: z.array(
    z.object({
      tool: z.string().nullable().describe('null: all calls of the agent.'),
      holder: z.string().optional().describe('The agent above whose calls are counted, with those below it.'),
      windowMs: z.int(),
      before: z.int(),
      after: z.int(),
      maxCalls: z.int(),
    }),
  ),
});

export function limitsMovedBy(decision: Decision): z.output<typeof limitsMoved> {
  const { reservation, deferral } = decision;
  const slots = (reservation ?? deferral)?.rates.length ? 1 : 0;
  const budgets: z.output<typeof limitsMoved>['budgets'] = [];
  const rates: z.output<typeof limitsMoved>['rates'] = [];
  for (const check of decision.checks) {
    const evidence = parseEvidence(check);
    const holder = check.holder === undefined ? {} : { holder: check.holder };
    if (evidence.by === 'budget') {
      const { scope, id, windowMs, spentMicros, maxMicros } = evidence;
      budgets.push(
        withDollars({
          scope,
          id,
          ...holder,
          windowMs,
          beforeMicros: spentMicros,
          afterMicros: sumMicros(spentMicros, decision.chargedMicros),
          maxMicros,
        }),
      );
    } else if (evidence.by === 'tool-rate' || evidence.by === 'mandate-rate') {
      const tool = evidence.by === 'tool-rate' ? decision.tool : null;
      const { calls, maxCalls, windowMs } = evidence;
      rates.push({ tool, ...holder, windowMs, before: calls, after: calls + slots, maxCalls });
    }
  }
  return { budgets, rates };
}
