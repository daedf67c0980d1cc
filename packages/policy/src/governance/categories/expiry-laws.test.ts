/** Laws of the expiry of memories under the policies of their categories. */
import type { MemoryOperation } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  arbitraryCreate,
  arbitraryMove,
  arbitraryOperation,
  arbitrarySection,
  arbitraryUpdate,
  effectiveIn,
  NOW_MS,
  operationOf,
  planned,
  targetOf,
} from './arbitrary-operations.fixture.ts';
import { changeAt } from './change-at.ts';
import { mergedChanges } from './plan-change.ts';

const DAY_MS = 86_400_000;
const RUNS = { numRuns: runs(2_000) };

const arbitraryExpiring = fc.oneof(arbitraryCreate, arbitraryUpdate, arbitraryMove);

/** Returns the latest expiry that the operation asks for. Null: it asks for no end. */
function askedBy({ operation, expiresAt, currentExpiresAt = null }: MemoryOperation): string | null {
  if (operation === 'createMemory') return expiresAt ?? null;
  return expiresAt === undefined ? currentExpiresAt : expiresAt;
}

test('no memory expires later than its ceiling or than requested', () => {
  const seen = { TTL_APPLIED: 0, TTL_EXCEEDS_MAXIMUM: 0, asAsked: 0 };
  fc.assert(
    fc.property(arbitrarySection, arbitraryExpiring, (section, operation) => {
      const change = planned(section, operation);
      if (change?.expiry === undefined) return;
      const { obligations, notes } = changeAt(change, NOW_MS);
      const { store, path } = targetOf(operation);
      const { value: days } = effectiveIn(section, store, path).defaultTtl;
      const base = Math.min(NOW_MS, Date.parse(operation.createdAt ?? new Date(NOW_MS).toISOString()));
      const asked = askedBy(operation);
      const latest = Math.min(
        days === null ? Number.POSITIVE_INFINITY : base + days * DAY_MS,
        asked === null ? Number.POSITIVE_INFINITY : Date.parse(asked),
      );
      const expected = latest === Number.POSITIVE_INFINITY ? null : new Date(latest).toISOString();
      expect(obligations.expiresAt).toBe(expected);
      const code = notes[0]?.code as keyof typeof seen | undefined;
      if (expected === asked) expect(notes).toEqual([]);
      else expect(code).toBe(asked === null ? 'TTL_APPLIED' : 'TTL_EXCEEDS_MAXIMUM');
      seen[code ?? 'asAsked'] += 1;
    }),
    RUNS,
  );
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(hits(50));
});

test('a clamped expiry is not clamped again, and never becomes later', () => {
  let clamped = 0;
  fc.assert(
    fc.property(arbitrarySection, arbitraryUpdate, fc.nat({ max: 9 }), (section, update, days) => {
      const first = planned(section, update);
      if (first === null) return;
      const once = changeAt(first, NOW_MS);
      const expiresAt = once.obligations.expiresAt as string | null;
      const again = planned(section, operationOf({ ...update, expiresAt }));
      if (again === null) throw new Error('the same update is refused');
      expect(changeAt(again, NOW_MS)).toEqual({ obligations: once.obligations, notes: [] });
      const later = changeAt(again, NOW_MS + days * DAY_MS).obligations.expiresAt as string | null;
      expect(later).toBe(expiresAt);
      if (once.notes.length > 0) clamped += 1;
    }),
    RUNS,
  );
  expect(clamped).toBeGreaterThan(hits(100));
});

test('several policies together give the earliest expiry, in any order, and a policy beside itself changes nothing', () => {
  let both = 0;
  fc.assert(
    fc.property(arbitrarySection, arbitrarySection, arbitraryOperation, (section, other, operation) => {
      const [one, two] = [planned(section, operation), planned(other, operation)];
      if (one === null || two === null) return;
      const together = changeAt(mergedChanges(one, two), NOW_MS);
      expect(changeAt(mergedChanges(two, one), NOW_MS)).toEqual(together);
      expect(changeAt(mergedChanges(one, one), NOW_MS)).toEqual(changeAt(one, NOW_MS));
      const alone = [one, two].map((change) => changeAt(change, NOW_MS).obligations);
      const { expiresAt, ...others } = together.obligations;
      for (const { expiresAt: _, ...same } of alone) expect(same).toEqual(others);
      const earliest = alone.map((each) => each.expiresAt as string | null | undefined).toSorted(byTime)[0];
      expect(expiresAt).toBe(earliest);
      both += 1;
    }),
    RUNS,
  );
  expect(both).toBeGreaterThan(hits(200));
});

/** Sorts the earliest first. Never is the latest. */
function byTime(one: string | null | undefined, other: string | null | undefined): number {
  const ms = (time: string | null | undefined) => (time ? Date.parse(time) : Number.MAX_SAFE_INTEGER);
  return ms(one) - ms(other);
}
