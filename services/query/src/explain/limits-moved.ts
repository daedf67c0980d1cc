/**
 * The budgets and rates that a decision was checked against: how much of each was used before and after the decision.
 */
import {
  BUDGET_SCOPES,
  COUNTER_UNITS,
  type Decision,
  described,
  sumMicros,
  unitOfCheck,
} from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { parseEvidence } from './parse-evidence.ts';

export const limitsMoved = z.object({
  budgets: described(
    z.array(
      z.object({
        scope: described(z.enum(BUDGET_SCOPES), 'Who shares the budget.'),
        id: described(z.string(), 'The id of the budget.', 'total'),
        ancestor: described(
          z.string().optional(),
          'The ancestor that holds the budget. Absent if the agent itself holds the budget.',
          'airline-lead',
        ),
        windowMs: described(
          z.int().nullable(),
          'The length of the window, in milliseconds. null: the budget never resets.',
          86_400_000,
        ),
        beforeMicros: described(microsField, 'What the budget had spent before, in micro-dollars.', 240_000),
        before: dollarsField,
        afterMicros: described(microsField, 'What the budget had spent after it, in micro-dollars.', 340_000),
        after: dollarsField,
        maxMicros: described(
          microsField.nullable(),
          'The limit, in micro-dollars. null: the budget is counted, not limited.',
          10_000_000,
        ),
        max: described(
          dollarsField.optional(),
          'The same in dollars. Absent if there is no limit.',
          '$10.00',
        ),
      }),
    ),
    'The budgets that the decision looked at.',
  ),
  units: described(
    z.array(
      z.object({
        unit: described(z.enum(COUNTER_UNITS), 'The unit of the limit.'),
        scope: described(z.enum(BUDGET_SCOPES), 'Who shares the limit.'),
        id: described(z.string(), 'The id of the limit.', 'total'),
        ancestor: described(
          z.string().optional(),
          'The ancestor that holds the limit. Absent if the agent itself holds the limit.',
          'airline-lead',
        ),
        windowMs: described(
          z.int().nullable(),
          'The length of the window, in milliseconds. null: the limit never resets.',
          60_000,
        ),
        before: described(z.int(), 'How much was used before.', 12_000),
        after: described(z.int(), 'How much was used after it.', 13_700),
        most: described(z.int(), 'The limit.', 100_000),
      }),
    ),
    'The limits on tokens and on tool calls of answers that the decision looked at.',
  ),
  rates: described(
    z.array(
      z.object({
        tool: described(
          z.string().nullable(),
          'The tool of the rate. null: all calls of the agent.',
          'send_certificate',
        ),
        ancestor: described(
          z.string().optional(),
          'The ancestor whose calls count, with the calls of its descendants. Absent if only the calls of the agent itself count.',
          'airline-lead',
        ),
        windowMs: described(z.int(), 'The length of the window, in milliseconds.', 3_600_000),
        before: described(z.int(), 'How many calls the window contained before.', 2),
        after: described(z.int(), 'How many calls the window contained after it.', 3),
        maxCalls: described(z.int(), 'The maximum number of calls in any window.', 5),
      }),
    ),
    'The rates that the decision looked at.',
  ),
});

export function limitsMovedBy(decision: Decision): z.output<typeof limitsMoved> {
  const { reservation, deferral } = decision;
  const slots = (reservation ?? deferral)?.rates.length ? 1 : 0;
  const budgets: z.output<typeof limitsMoved>['budgets'] = [];
  const units: z.output<typeof limitsMoved>['units'] = [];
  const rates: z.output<typeof limitsMoved>['rates'] = [];
  for (const check of decision.checks) {
    const evidence = parseEvidence(check);
    const ancestor = check.ancestor === undefined ? {} : { ancestor: check.ancestor };
    if (evidence.by === 'budget') {
      const { scope, id, windowMs, spentMicros, maxMicros } = evidence;
      budgets.push(
        withDollars({
          scope,
          id,
          ...ancestor,
          windowMs,
          beforeMicros: spentMicros,
          afterMicros: sumMicros(spentMicros, decision.chargedMicros),
          maxMicros,
        }),
      );
    } else if (evidence.by === 'tokens' || evidence.by === 'tool-calls') {
      const { scope, id, windowMs, used: before, most } = evidence;
      const unit = unitOfCheck(evidence.by) ?? 'tokens';
      const after = sumMicros(before, reservation?.units?.[unit]?.reserved ?? 0);
      units.push({ unit, scope, id, ...ancestor, windowMs, before, after, most });
    } else if (evidence.by === 'tool-rate' || evidence.by === 'mandate-rate') {
      const tool = evidence.by === 'tool-rate' ? decision.tool : null;
      const { calls, maxCalls, windowMs } = evidence;
      rates.push({ tool, ...ancestor, windowMs, before: calls, after: calls + slots, maxCalls });
    }
  }
  return { budgets, units, rates };
}
