/** How many decisions took how long, by the bounds of LATENCY_BOUNDS_MS, the shortest first; those without any left out. */
import { z } from 'zod';
import { question } from '../question.ts';
import { bookedFilter } from './booked.ts';
import { source } from './source.ts';

export const latencies = question({
  params: bookedFilter,
  row: z.object({ upToMs: z.int(), calls: z.int() }),
  sql: (asked) => `
    SELECT booked.latency_ms AS upToMs, sum(booked.calls) AS calls
    FROM ${source(asked, { dimensions: [], decisionsOnly: true })} AS booked
    GROUP BY upToMs
    ORDER BY upToMs`,
});
