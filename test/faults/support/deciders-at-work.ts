/** Waits until deciders have worked. Their metrics show it. */
import { waitUntil } from '@mandate/testing';
import { decisionsBy } from '../../e2e/distributed/support/server-plane.ts';
import { PATIENCE_MS } from './breakable-servers.ts';

type Decider = { readonly url: string };

/** Resolves when each decider has published one more decision. Calls `askMore` until then. */
export async function allAtWork(
  deciders: readonly Decider[],
  askMore: () => Promise<unknown> = async () => {},
): Promise<void> {
  const before = await Promise.all(deciders.map(decisionsBy));
  await waitUntil(
    'every decider to be at work',
    async () => {
      const counts = await Promise.all(deciders.map(decisionsBy));
      const idle = counts.some((count, at) => count <= (before[at] ?? 0));
      if (idle) await askMore();
      return !idle;
    },
    PATIENCE_MS,
  );
}

/** Resolves when each decider has waited for the ledger `times` more times. */
export async function allWaiting(deciders: readonly Decider[], times = 2): Promise<void> {
  const before = await Promise.all(deciders.map(waitsOf));
  await waitUntil(
    'every decider to wait for the ledger',
    async () => {
      const counts = await Promise.all(deciders.map(waitsOf));
      return counts.every((count, at) => count >= (before[at] ?? 0) + times);
    },
    PATIENCE_MS,
  );
}

/** Returns how often the decider's partitions waited for the ledger. */
async function waitsOf({ url }: Decider): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, count] =
    /^mandate_decider_waits_total\{[^}]*code="LEDGER_UNAVAILABLE"[^}]*\} (\d+)$/m.exec(text) ?? [];
  return Number(count ?? 0);
}
