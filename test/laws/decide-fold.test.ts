/**
 * Tests that everything can be computed from the log. A ledger that is rebuilt from the published records must have
 * the same balances and open actions as the ledger that published them, and must make the same later decisions.
 */
import { createFold, foldRecord, type MemoryLedger } from '@mandate/ledger';
import { readDecisionsHead } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Box, deciderInABox } from '../decider-in-a-box.ts';
import { arbitraryMandate } from './arbitrary-requests.ts';
import { arbitraryHistory, playHistory } from './decide-history.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const utf8 = new TextEncoder();

/** Returns another plane, restored from the records that this plane published. */
function restored(box: Box): Box {
  const fold = createFold();
  for (const [offset, text] of box.published.entries()) {
    foldRecord(fold, { source: { partition: 0, offset }, record: readDecisionsHead(utf8.encode(text)) });
  }
  const twin = deciderInABox([{}], { startMs: box.clock(), state: fold.state });
  const { nextOffset, mandates, revision } = box;
  return Object.assign(twin, { nextOffset, mandates, revision });
}

async function seenFrom(ledger: MemoryLedger) {
  const seen = [];
  for (const tenant of ['default', 'acme']) {
    seen.push(
      await ledger.balances(tenant),
      await ledger.open(tenant),
      await ledger.unpublished(tenant),
      (await ledger.killed(tenant))
        .map(({ scope, revision, target }) => ({ scope, revision, target }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    );
  }
  return seen;
}

test('the ledger rebuilt from the published records equals the live ledger at rest, and decides the same', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMandate, arbitraryHistory, arbitraryHistory, async (mandate, before, after) => {
      const box = deciderInABox([mandate]);
      await playHistory(box, before);
      const twin = restored(box);
      expect(await seenFrom(twin.ledger)).toEqual(await seenFrom(box.ledger));

      const published = box.published.length;
      await playHistory(box, after);
      await playHistory(twin, after);
      expect(twin.published).toEqual(box.published.slice(published));
      expect(await seenFrom(twin.ledger)).toEqual(await seenFrom(box.ledger));
    }),
    { numRuns: 40 },
  );
});
