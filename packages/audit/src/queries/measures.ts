/** The counts and sums over all bookings, as SQL over an analytics source with the alias `booked`. */
import { time } from '@mandate/schemas';
import { z } from 'zod';
import { percentileOf } from './latency-bounds.ts';
import { summedMicros } from './summed-micros.ts';

const latencyAt = (share: number) => percentileOf('sumForEach(booked.latencies)', share);

const SQL = {
  calls: 'sum(booked.calls)',
  allowed: "sumIf(booked.calls, booked.verdict = 'ALLOW')",
  blocked: "sumIf(booked.calls, booked.verdict = 'BLOCK')",
  deferred: "sumIf(booked.calls, booked.verdict = 'DEFER')",
  nearMisses: 'sum(booked.near_misses)',
  chargedMicros: 'sum(booked.charged)',
  settledMicros: 'sum(booked.settled)',
  spentMicros: 'sum(booked.charged + booked.settled)',
  p50Ms: latencyAt(0.5),
  p90Ms: latencyAt(0.9),
  p99Ms: latencyAt(0.99),
  maxMs: latencyAt(1),
  lastDecidedAt: 'max(booked.last_at)',
} as const;
export type Measure = keyof typeof SQL;

/** The measures that can order groups: all measures that are numbers. */
export const ORDERS = Object.keys(SQL).filter((name) => name !== 'lastDecidedAt') as [
  Exclude<Measure, 'lastDecidedAt'>,
  ...Exclude<Measure, 'lastDecidedAt'>[],
];

export const measureSql = (measure: Measure) => SQL[measure];

export const MEASURES = Object.entries(SQL)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(',\n      ');

export const measures = {
  calls: z.int(),
  allowed: z.int(),
  blocked: z.int(),
  deferred: z.int(),
  nearMisses: z.int(),
  chargedMicros: summedMicros,
  settledMicros: summedMicros,
  spentMicros: summedMicros,
  p50Ms: z.int().nullable(),
  p90Ms: z.int().nullable(),
  p99Ms: z.int().nullable(),
  maxMs: z.int().nullable(),
  lastDecidedAt: time.nullable(),
};
export type Measures = z.output<z.ZodObject<typeof measures>>;

export const NOTHING: Measures = {
  calls: 0,
  allowed: 0,
  blocked: 0,
  deferred: 0,
  nearMisses: 0,
  chargedMicros: 0,
  settledMicros: 0,
  spentMicros: 0,
  p50Ms: null,
  p90Ms: null,
  p99Ms: null,
  maxMs: null,
  lastDecidedAt: null,
};
