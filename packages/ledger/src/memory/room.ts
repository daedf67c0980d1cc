/** Limits how many deliveries a ledger in memory may remember. */
import { forget } from './forget.ts';
import type { TenantState } from './remembered.ts';
import type { LedgerState } from './state.ts';

/**
 * A tenant may use at most this many times the free part of the memory. So one tenant alone gets four fifths of the memory,
 * and two tenants get four ninths each. A further tenant always finds room. (Dynamic thresholds: Choudhury and Hahne, 1998.)
 */
const TIMES_THE_FREE_PART = 4;

/**
 * The deliveries checked for each new one. Enough to keep up with a full tenant, and few enough for one turn of the
 * event loop.
 */
const LOOKED_AT_FOR_ROOM = 1_000;

/** True if one more delivery of the tenant may be remembered. Deliveries that are too old are forgotten first. */
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
