/**
 * Notices a server's clock that was set forward. It cannot be taken back, since it may be the correction of one that was
 * behind: windows may admit once more what they hold, and somebody should know.
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
