/** How often something was asked for and what was said: the columns that agents and tools are counted by. */
import { z } from 'zod';

/** Over `bookings`, where a settlement's verdict is empty. */
export const CALL_COUNTS = `countIf(verdict != '') AS calls,
      countIf(verdict = 'ALLOW') AS allowed,
      countIf(verdict = 'BLOCK') AS blocked,
      countIf(verdict = 'DEFER') AS deferred,
      sum(charged + settled) AS spentMicros`;

export const callCounts = {
  /** Decisions made in the time asked about. */
  calls: z.int(),
  allowed: z.int(),
  blocked: z.int(),
  deferred: z.int(),
  /** Booked in that time. */
  spentMicros: z.int(),
};
