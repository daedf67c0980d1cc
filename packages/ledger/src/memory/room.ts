/** Limits the number of deliveries that a ledger in memory remembers. */
import { forget } from './forget.ts';
import type { TenantState } from './remembered.ts';
import type { LedgerState } from './state.ts';

/**
 * A tenant may use at most this many times the free part of the memory. So one tenant alone gets four fifths of the
 * memory, and two tenants get four ninths each. A further tenant always gets some. (Dynamic thresholds: Choudhury and
 * Hahne, 1998.)
 */
const TIMES_THE_FREE_PART = 4;

/**
 * The number of deliveries to check for each new delivery if the limit is reached. It is large enough to free memory
 * in time, and small enough for one turn of the event loop.
 */
const LOOKED_AT_FOR_ROOM = 1_000;

/**
 * True if one more delivery of the tenant may be remembered. If the limit is reached, first frees the memory of
 * forgotten deliveries.
 */
export function hasRoom(
  state: LedgerState,
  tenant: TenantState,
  { maxRemembered }: { maxRemembered: number },
  nowMs: number,
): boolean {
  if (isBelow(state, tenant, maxRemembered)) return true;
  forget(state, nowMs, { most: LOOKED_AT_FOR_ROOM });
  return isBelow(state, tenant, maxRemembered);
}

function isBelow({ remembered, room }: LedgerState, tenant: TenantState, maxRemembered: number): boolean {
  const free = room.mostInAll - remembered;
  return tenant.remembered < Math.min(maxRemembered, TIMES_THE_FREE_PART * free);
}
