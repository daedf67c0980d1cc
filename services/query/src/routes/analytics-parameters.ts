/** The parameters that filter analytics, and schemas that their answers share. */
import { type Measures, NEAR_MISS_AT } from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { described, time } from '@mandate/schemas';
import { z } from 'zod';
import { spent, withDollars } from '../amounts.ts';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { limit, wholeNumberWithin } from '../query-parameters.ts';

export const narrowing = (clock: Clock) => ({
  ...decisionFilterParameters(clock),
  nearMissAt: described(
    wholeNumberWithin(1, 100).default(NEAR_MISS_AT),
    'How much of a limit must be used to count as near it, in percent, 1 to 100.',
    90,
  ),
});
export const ranked = (clock: Clock) => ({ ...narrowing(clock), limit });

type Narrowing = z.output<z.ZodObject<ReturnType<typeof narrowing>>>;

export function narrowedBy(tenant: string, { nearMissAt, ...given }: Narrowing) {
  return { ...decisionFilterOf(tenant, given), nearMissAt };
}

export const asOf = time.describe(
  'When the question was asked. The answer contains what the recorder had written by then.',
);

export const callFields = {
  calls: described(z.int(), 'How many decisions were made in the period, duplicates included.', 1_240),
  allowed: described(z.int(), 'How many of them are ALLOW.', 1_200),
  blocked: described(z.int(), 'How many of them are BLOCK.', 35),
  deferred: described(z.int(), 'How many of them are DEFER.', 5),
};

const latency = (share: string) =>
  described(
    z.int().nullable(),
    `The longest time from the log to the decision of ${share}, in milliseconds. null: no decisions.`,
    15,
  );

export const latencyFields = {
  p50Ms: latency('the fastest 50 % of the decisions'),
  p90Ms: latency('the fastest 90 %'),
  p99Ms: latency('the fastest 99 %'),
  maxMs: latency('all decisions'),
};

export const measureFields = {
  ...callFields,
  nearMisses: described(z.int(), 'How many ALLOWs left a limit used at least `nearMissAt` percent.', 3),
  ...spent,
  ...latencyFields,
  lastDecidedAt: described(
    time.nullable(),
    'When the last of these decisions was made. null: there is none.',
  ),
};

export function shownMeasures(measures: Measures): z.output<z.ZodObject<typeof measureFields>> {
  return withDollars(measures);
}
