/** The parameters that filter analytics, and the shapes that their answers share. */
import { type Measures, NEAR_MISS_AT } from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { time } from '@mandate/schemas';
import { z } from 'zod';
import { spent, withDollars } from '../amounts.ts';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { limit, wholeNumberWithin } from '../query-parameters.ts';

export const narrowing = (clock: Clock) => ({
  ...decisionFilterParameters(clock),
  nearMissAt: wholeNumberWithin(1, 100)
    .default(NEAR_MISS_AT)
    .describe(`What counts as near a limit: percent of it that is used, 1 to 100. Default ${NEAR_MISS_AT}.`),
});
export const ranked = (clock: Clock) => ({ ...narrowing(clock), limit });

type Narrowing = z.output<z.ZodObject<ReturnType<typeof narrowing>>>;

export function narrowedBy(tenant: string, { nearMissAt, ...given }: Narrowing) {
  return { ...decisionFilterOf(tenant, given), nearMissAt };
}

export const asOf = time.describe('When this was asked; what the recorder had landed by then is in it.');

export const callFields = {
  calls: z.int().describe('Decisions made in the time asked about, duplicates too.'),
  allowed: z.int(),
  blocked: z.int(),
  deferred: z.int(),
};

const latency = (share: string) =>
  z
    .int()
    .nullable()
    .describe(
      `At most so many milliseconds from the log to the decision, for ${share}; null without decisions.`,
    );

export const latencyFields = {
  p50Ms: latency('half of the decisions'),
  p90Ms: latency('90 % of them'),
  p99Ms: latency('99 % of them'),
  maxMs: latency('all of them'),
};

export const measureFields = {
  ...callFields,
  nearMisses: z.int().describe('ALLOWs that left a limit used up to `nearMissAt` percent, or beyond.'),
  ...spent,
  ...latencyFields,
  lastDecidedAt: time.nullable().describe('Of the last decision; null when there was none.'),
};

export function shownMeasures(measures: Measures): z.output<z.ZodObject<typeof measureFields>> {
  return withDollars(measures);
}
