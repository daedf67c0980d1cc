/**
 * Notices that the clock of a server was set forward. The ledger cannot undo this, because the old time may have been
 * wrong: windows may admit again what they hold, and an operator should know.
 */
import type { Logger } from '@mandate/runtime';

/** Time daemons correct less than this, and an answer is not on its way for longer. */
const JUMP_MS = 5_000;

/** Told of each answer, which has the time of its shard in the second place. */
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
