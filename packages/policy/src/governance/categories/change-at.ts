import type { Note, Obligations, PlannedChange } from '@mandate/schemas';
import { wireTime } from '@mandate/schemas/core';

const DAY_MS = 86_400_000;

/** Completes a planned change with the time of the decision, in ms since 1970. */
export function changeAt(
  { expiry, creates, created, description, prunes }: PlannedChange,
  atMs: number,
): { obligations: Obligations; notes: readonly Note[] } {
  const given = expiry === undefined ? null : expiryAt(expiry, atMs);
  return {
    obligations: {
      ...(given !== null && { expiresAt: given.expiresAt }),
      ...(creates !== undefined && { creates: [...creates] }),
      ...(created !== undefined && { created }),
      ...(description !== undefined && { description }),
      ...(prunes === true && { expiredBefore: wireTime(atMs) }),
    },
    notes: given?.note ? [given.note] : [],
  };
}

/**
 * Returns when the memory expires: at the earliest ceiling, or as asked if that is not later. A ceiling counts from
 * the creation of the memory, but from no time in the future.
 */
function expiryAt(
  { asked, ceilings }: NonNullable<PlannedChange['expiry']>,
  atMs: number,
): { expiresAt: string | null; note: Note | null } {
  const askedMs = asked === null ? null : Date.parse(asked);
  let lowest: { category: string; maxDays: number; ms: number } | null = null;
  for (const { category, maxDays, from } of ceilings) {
    const base = from === 'now' ? atMs : Math.min(Date.parse(from), atMs);
    const ms = base + maxDays * DAY_MS;
    if (lowest === null || ms < lowest.ms) lowest = { category, maxDays, ms };
  }
  if (lowest === null || (askedMs !== null && askedMs <= lowest.ms))
    return { expiresAt: askedMs === null ? null : wireTime(askedMs), note: null };
  const { category, maxDays } = lowest;
  const given = wireTime(lowest.ms);
  const note: Note =
    askedMs === null
      ? { code: 'TTL_APPLIED', category, maxDays, given }
      : { code: 'TTL_EXCEEDS_MAXIMUM', category, maxDays, asked: wireTime(askedMs), given };
  return { expiresAt: given, note };
}
