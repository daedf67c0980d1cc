/** Measures from time to time how much room the ledger has left, for all tenants together and for the fullest tenants. */
import type { Ledger } from '@mandate/ledger';
import { type Logger, poll } from '@mandate/runtime';
import type { DeciderMeasures } from './measures.ts';

export type WatchedRoom = {
  ledger: Pick<Ledger, 'system' | 'tenants' | 'remembered' | 'usedShare'>;
  /** How many deliveries of a tenant the ledger may remember. */
  maxRemembered(tenant: string): number;
  log: Logger;
  /** Default 15,000. */
  everyMs?: number;
};

/** Tenants with a smaller share have no series, so that there are few series. */
const LEAST_SHARE = 0.5;
const MOST_TENANTS = 50;

/** Measures at once, and then again until it is stopped. */
export function watchRoom(
  { ledger, maxRemembered, log, everyMs = 15_000 }: WatchedRoom,
  { ledgerUsed, tenantRemembered }: Pick<DeciderMeasures, 'ledgerUsed' | 'tenantRemembered'>,
): { stop(): void } {
  const look = async () => {
    const used = await ledger.usedShare();
    if (used !== null) ledgerUsed.set({ store: ledger.system }, used);
    const shares: { tenant: string; share: number }[] = [];
    // One tenant after the other, because decisions need the ledger more.
    for (const tenant of await ledger.tenants()) {
      const most = maxRemembered(tenant);
      // A limit of 0 has no used share, because it lets nothing through on purpose.
      const share = most === 0 ? 0 : (await ledger.remembered(tenant)) / most;
      if (share >= LEAST_SHARE) shares.push({ tenant, share });
    }
    tenantRemembered.reset();
    const fullest = shares.sort((a, b) => b.share - a.share).slice(0, MOST_TENANTS);
    for (const { tenant, share } of fullest) tenantRemembered.set({ tenant }, share);
  };
  return poll(everyMs, look, (err) => log.warn({ err }, 'the used share of the ledger is not known'));
}
