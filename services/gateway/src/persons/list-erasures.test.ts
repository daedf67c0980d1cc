import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { erasuresOf } from './list-erasures.ts';

const erasure = (id: string, tenant: string) => ({
  id,
  tenant,
  ref: `sealed:v1:${'0'.repeat(16)}:${'a'.repeat(16)}`,
  by: 'test (key)',
  reason: 'ticket',
  at: '2026-01-05T00:00:00.000Z',
});

/** Makes a log with an erasure of each of these tenants, oldest first. null makes a record that is not an event. */
async function logOf(tenants: readonly (string | null)[]) {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  const values = tenants.map((tenant, index) =>
    tenant === null
      ? 'no event'
      : JSON.stringify({ event: 'person.erased', erasure: erasure(`ers_${index}`, tenant) }),
  );
  if (values.length > 0) {
    await bus.append(
      TOPICS.persons,
      values.map((value) => ({ key: null, partition: 0, value })),
    );
  }
  return bus;
}

/** Reads all pages, one after the other. Returns the ids of the erasures, and the number of pages. */
async function walk(bus: Awaited<ReturnType<typeof logOf>>, how: { limit: number; longestMs?: number }) {
  const ids: string[] = [];
  let [before, pages]: [number | null, number] = [null, 0];
  do {
    const { erasures, next } = await erasuresOf(bus, 'acme', { ...how, before });
    expect(erasures.length).toBeLessThanOrEqual(how.limit);
    ids.push(...erasures.map(({ id }) => id));
    before = next;
    pages += 1;
  } while (before !== null);
  return { ids, pages };
}

test('a tenant sees each of its erasures once, newest first, for any length and any time limit of a page', async () => {
  const tenants = fc.array(fc.constantFrom('acme', 'globex', null), { maxLength: 12 });
  const limits = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(tenants, limits, fc.constantFrom(0, 60_000), async (tenants, limit, longestMs) => {
      const bus = await logOf(tenants);
      const { ids } = await walk(bus, { limit, longestMs });
      await bus.close();
      const own = tenants.flatMap((tenant, index) => (tenant === 'acme' ? [`ers_${index}`] : []));
      expect(ids).toEqual(own.reverse());
    }),
    { numRuns: 30 },
  );
});

test('a page ends after its time limit, but reads at least one record', async () => {
  const bus = await logOf(['acme', 'globex', 'globex']);
  onTestFinished(() => bus.close());
  expect(await walk(bus, { limit: 50, longestMs: 0 })).toEqual({ ids: ['ers_0'], pages: 3 });
  expect(await walk(bus, { limit: 50 })).toEqual({ ids: ['ers_0'], pages: 1 });
});
