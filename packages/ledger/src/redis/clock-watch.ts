/**
 * Notices that the clock of a server was set forward. The ledger cannot undo this, because the old time may have been
 * wrong. After the jump, windows may admit calls too early, so an operator should know.
 */
import type { Logger } from '@mandate/runtime';

/** The least jump to report. Time daemons correct less than this, and a response never takes longer. */
const JUMP_MS = 5_000;

/** Returns a function to call with each response. The second element of a response is the time of its shard. */
export function createClockWatch(
  log: Logger,
  steady: () => number = () => performance.now(),
): (tenant: string, reply: readonly unknown[]) => void {
  const last = new Map<string, { nowMs: number; steadyMs: number }>();
  return (tenant, [status, nowMs]) => {
    if (status !== 'OK' || typeof nowMs !== 'number') return;
    const steadyMs = steady();
    const before = last.get(tenant);
    last.set(tenant, { nowMs, steadyMs });
    if (before === undefined) return;
    const stepMs = Math.round(nowMs - before.nowMs - (steadyMs - before.steadyMs));
    if (stepMs > JUMP_MS)
      log.error({ tenant, stepMs }, "the clock of the tenant's Redis server jumped forward");
  };
}
