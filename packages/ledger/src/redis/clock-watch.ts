/**
 * Detects that the clock of a server was set forward, and tells the operator. After the jump, windows may admit calls
 * too early. The ledger cannot correct this, because the old time may have been wrong.
 */
import type { Logger } from '@mandate/runtime';

/** The smallest jump to report. Time daemons make smaller corrections, and a response never takes this long. */
const JUMP_MS = 5_000;

/** Returns a function that checks each response. The second element of a response is the time of its shard. */
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
