/** Returns the number of decisions at each bound of LATENCY_BOUNDS_MS, shortest first, without empty bounds. */
import { z } from 'zod';
import { question } from '../question.ts';
import { analyticsFilter } from './analytics-source.ts';
import { boundsOf } from './latency-bounds.ts';
import { source } from './source.ts';

export const latencies = question({
  params: analyticsFilter,
  row: z.object({ upToMs: z.int(), calls: z.int() }),
  sql: (asked) => `
    SELECT upToMs, calls
    FROM (
      SELECT sumForEach(booked.latencies) AS counts
      FROM ${source(asked, { dimensions: [], decisionsOnly: true })} AS booked
    )
    ARRAY JOIN counts AS calls, ${boundsOf('counts')} AS upToMs
    WHERE calls > 0
    ORDER BY upToMs`,
});
