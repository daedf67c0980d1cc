/**
 * Restores the control state of a moment in the past. Snapshots have only newer states, so the log is read from its
 * start. A record counts from the time at which the log took it, because deciders follow the log.
 */
import type { Bus } from '@mandate/bus';
import { foldControl, type TenantControl } from '@mandate/control';
import { changesIn, readFrom } from './control-changes.ts';

const LANE = ['control at a moment'];

/**
 * Returns the state of a tenant at `atMs`. Null if the log was not read to this moment before the signal was aborted.
 */
export async function controlAt(
  bus: Pick<Bus, 'read'>,
  { tenant, atMs, signal }: { tenant: string; atMs: number; signal: AbortSignal },
): Promise<TenantControl | null> {
  const fold = foldControl();
  const passed = Promise.withResolvers<void>();
  let isPast = false;
  const reader = await bus.read({
    ...readFrom(0),
    async onRecords(records) {
      if (isPast) return;
      const until = records.findIndex(({ appendedAtMs }) => appendedAtMs > atMs);
      for await (const { change, offset } of changesIn(
        until === -1 ? records : records.slice(0, until),
        LANE,
      )) {
        if (signal.aborted) break;
        fold.apply(change, offset + 1);
      }
      if (until === -1 && !signal.aborted) return;
      isPast = true;
      passed.resolve();
    },
  });
  const aborted = () => passed.resolve();
  signal.addEventListener('abort', aborted, { once: true });
  try {
    await Promise.race([reader.caughtUp, passed.promise, reader.finished]);
    if (signal.aborted) return null;
    return fold.tenant(tenant);
  } finally {
    signal.removeEventListener('abort', aborted);
    await reader.stop();
  }
}
