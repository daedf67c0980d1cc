/**
 * Measures from time to time how much room the ledger has left, for all tenants together and for the fullest tenants.
 */
import type { Ledger } from '@mandate/ledger';
import { type Logger, poll } from '@mandate/runtime';
import type { DeciderMeasures } from './measures.ts';

export type WatchedRoom = {
  ledger: Pick<Ledger, 'system' | 'tenants' | 'remembered' | 'usedShare'>;
  /** Returns how many deliveries of a tenant the ledger may remember. */
  maxRemembered(tenant: string): number;
  log: Logger;
  /** How often to measure, in milliseconds. Default 15,000. */
  everyMs?: number;
};

/**
 * Only tenants that use at least this share of `maxRemembered` get a metric. Otherwise there would be one for each
 * tenant.
 */
const LEAST_SHARE = 0.5;
const MOST_TENANTS = 50;

/** Measures at once, and then repeatedly until it is stopped. */
export function watchRoom(
  { ledger, maxRemembered, log, everyMs = 15_000 }: WatchedRoom,
  { ledgerUsed, tenantRemembered }: Pick<DeciderMeasures, 'ledgerUsed' | 'tenantRemembered'>,
): { stop(): void } {
  const look = async () => {
    const used = await ledger.usedShare();
    if (used !== null) ledgerUsed.set({ store: ledger.system }, used);
    const shares: { tenant: string; share: number }[] = [];
    // Reads the tenants one after the other, because the ledger is needed more for decisions than for this measure.
    for (const tenant of await ledger.tenants()) {
      const most = maxRemembered(tenant);
      // A tenant with a limit of 0 may do nothing on purpose, so its ledger is not full.
      const share = most === 0 ? 0 : (await ledger.remembered(tenant)) / most;
      if (share >= LEAST_SHARE) shares.push({ tenant, share });
    }
    tenantRemembered.reset();
    const fullest = shares.sort((a, b) => b.share - a.share).slice(0, MOST_TENANTS);
    for (const { tenant, share } of fullest) tenantRemembered.set({ tenant }, share);
  };
  return poll(everyMs, look, (err) => log.warn({ err }, 'the used share of the ledger is not known'));
}
