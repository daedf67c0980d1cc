/**
 * Tests the control topic. Every reader computes the same state from the same records, and of two conflicting writers
 * only one succeeds.
 */
import { foldControl, singleChanges } from '@mandate/control';
import { CAPS, type ControlRecord, controlRecord } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changes, inTenants, RULES, withManifests } from './arbitrary-control-changes.ts';
import { folded, found, unitsIn, writer } from './control-fold.fixture.ts';

test('a refused change has no effect: without the change, every reader computes the same state', () => {
  fc.assert(
    fc.property(inTenants, (records) => {
      const all = folded(records);
      const fold = foldControl();
      for (const [at, record] of records.entries()) if (all.became[at]?.ok) fold.apply(record, at + 1);
      expect(found({ fold, became: [] })).toEqual(found(all));
    }),
    { numRuns: runs(500) },
  );
});

test('a change that is on the log twice takes effect once, and has the same outcome both times', () => {
  fc.assert(
    fc.property(inTenants, fc.infiniteStream(fc.nat()), (records, drawn) => {
      const once = folded(records);
      const twice = records.flatMap((record, at) => {
        const again = records[drawn.next().value % (at + 1)] ?? record;
        return [record, again];
      });
      const fold = foldControl();
      const became = twice.map((record, at) => fold.apply(record, Math.floor(at / 2) + 1));
      expect(found({ fold, became: [] })).toEqual(found(once));
      for (const [at, record] of twice.entries()) {
        const first = twice.findIndex(({ change: { id } }) => id === record.change.id);
        expect(became[at]).toEqual(became[first]);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('another change with a known id is refused, and does not get the outcome of the first change', () => {
  const { fold } = folded([publish('p', 1)]);
  const { change } = publish('p', 1);
  const other = controlRecord.parse({
    event: 'rule.put',
    change,
    rule: { version: 1, id: 'r', policy: 'p' },
  });
  expect(fold.apply(other, 2)).toEqual({ ok: false, refusal: 'ID_REUSED', revision: 0 });
  expect(fold.tenant('acme').rules.size).toBe(0);
});

test('limits the length of a chain of parents', () => {
  const fold = foldControl();
  const put = (id: number, parent?: number) => {
    const change = { id: `chg-${id}`, tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
    const agent = { id: `a${id}`, ...(parent !== undefined && { parent: `a${parent}` }) };
    return fold.apply(controlRecord.parse({ event: 'agent.put', change, agent }), id + 1);
  };
  put(0);
  const became = Array.from({ length: 40 }, (_, at) => put(at + 1, at));
  expect(became.findIndex(({ ok }) => !ok)).toBe(CAPS.parents);
  expect(became[CAPS.parents]).toMatchObject({ refusal: 'PARENT_TOO_DEEP' });
});

test('limits the length also if one chain is appended to another chain', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (id: string, parent?: string) => {
    revision += 1;
    const change = {
      id: `chg-${revision}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
    };
    const agent = { id, ...(parent !== undefined && { parent }) };
    return fold.apply(controlRecord.parse({ event: 'agent.put', change, agent }), revision);
  };
  for (const chain of ['a', 'b'])
    for (let at = 0; at < 20; at += 1) put(`${chain}${at}`, at === 0 ? undefined : `${chain}${at - 1}`);
  // After this change b0 has 13 ancestors, and b19 has 32.
  expect(put('b0', 'a12')).toMatchObject({ ok: true });
  expect(put('b0', 'a12')).toMatchObject({ ok: true });
  expect(put('b0', 'a13')).toMatchObject({ refusal: 'PARENT_TOO_DEEP' });
  expect(put('b20', 'b19')).toMatchObject({ refusal: 'PARENT_TOO_DEEP' });
});

test('a published manifest has the effect of the changes of its documents, one after the other', () => {
  fc.assert(
    fc.property(withManifests, (records) => {
      const fold = foldControl();
      const single = foldControl();
      for (const [at, record] of records.entries()) {
        const { tenant } = record.change;
        const singles = singleChanges(fold.tenant(tenant), record);
        const revision = at + 1;
        const changed = fold.apply(record, revision);
        if (!changed.ok || changed.revision !== revision) continue;
        const { expects: _, ...change } = record.change;
        for (const [number, one] of singles.entries()) {
          const made =
            singles[0] === record ? record : { ...one, change: { ...change, id: `${change.id}-${number}` } };
          expect(single.apply(made as ControlRecord, revision)).toEqual({ ok: true, revision });
        }
        const { agents, retired, policies, rules, departures, issued } = fold.tenant(tenant);
        expect(single.tenant(tenant)).toMatchObject({ agents, retired, policies, rules, departures, issued });
      }
    }),
    { numRuns: runs(300) },
  );
});

test('one tenant’s state does not depend on other tenants', () => {
  fc.assert(
    fc.property(inTenants, (records) => {
      const alone = foldControl();
      for (const [at, record] of records.entries())
        if (record.change.tenant === 'acme') alone.apply(record, at + 1);
      expect(alone.tenant('acme')).toEqual(folded(records).fold.tenant('acme'));
    }),
    { numRuns: runs(200) },
  );
});

test('if several changes expect the same revision, one takes effect, and the others get the current revision', () => {
  fc.assert(
    fc.property(changes, fc.integer({ min: 2, max: 5 }), (records, writers) => {
      const { fold } = folded(records);
      const revision = fold.tenant('acme').policies.get('p')?.revision ?? 0;
      const at = records.length + 1;
      const became = Array.from({ length: writers }, (_, number) =>
        fold.apply(publish('p', number, revision), at + number),
      );
      expect(became).toEqual([
        { ok: true, revision: at },
        ...became.slice(1).map(() => ({ ok: false, refusal: 'REVISION_CONFLICT', revision: at })),
      ]);
      const { versions = [] } = fold.tenant('acme').policies.get('p') ?? {};
      expect(versions.at(-1)).toMatchObject({ revision: at, document: { maxCostTotal: 0 } });
    }),
    { numRuns: runs(200) },
  );
});

function publish(id: string, maxCostTotal: number, expected?: number): ControlRecord {
  return controlRecord.parse({
    event: 'policy.published',
    change: {
      id: `chg-${maxCostTotal}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
      ...(expected !== undefined && { expects: expected }),
    },
    policy: { version: 1, id, maxCostTotal },
  });
}

test('versions of a policy never change, and none is lost', () => {
  fc.assert(
    fc.property(changes, changes, (before, after) => {
      const { fold } = folded(before);
      const versions = structuredClone(fold.tenant('acme').policies.get('p')?.versions ?? []);
      for (const [at, record] of after.entries()) fold.apply(record, before.length + at + 1);
      expect(fold.tenant('acme').policies.get('p')?.versions.slice(0, versions.length) ?? []).toEqual(
        versions,
      );
    }),
    { numRuns: runs(300) },
  );
});

test('no agent is its own ancestor, and every parent was registered', () => {
  fc.assert(
    fc.property(changes, (records) => {
      const { agents } = folded(records).fold.tenant('acme');
      for (const id of agents.keys()) {
        const above = new Set<string>();
        for (let one: string | undefined = id; one !== undefined; one = agents.get(one)?.document.parent) {
          expect(above.has(one), `${id} is above itself`).toBe(false);
          above.add(one);
        }
        expect(above.has('nobody')).toBe(false);
      }
    }),
    { numRuns: runs(500) },
  );
});

test('a policy in use by a rule can be archived only by force', () => {
  // Random changes seldom archive a policy that a rule uses, so this test makes such changes.
  const named = controlRecord.parse({
    event: 'rule.put',
    change: { ...publish('p', 8).change, id: 'chg-named' },
    rule: { version: 1, id: 'named', policy: 'p' },
  });
  const more = fc.subarray([publish('p', 9), named]);
  const met = { refused: 0, forced: 0 };
  fc.assert(
    fc.property(changes, more, fc.boolean(), (drawn, added, forced) => {
      const records = [...drawn, ...added];
      const { fold } = folded(records);
      const { policies, rules } = fold.tenant('acme');
      const isThere = policies.has('p');
      const isUsed = [...rules.values()].some(({ document }) => document.policy === 'p');
      const { change } = publish('p', 0);
      const archived = controlRecord.parse({ event: 'policy.archived', change, policyId: 'p', forced });
      const became = fold.apply(archived, records.length + 1);
      if (isThere && isUsed) met[forced ? 'forced' : 'refused'] += 1;
      if (!isThere) expect(became).toMatchObject({ refusal: 'NOT_FOUND' });
      else if (isUsed && !forced) expect(became).toMatchObject({ refusal: 'POLICY_IN_USE' });
      else expect(fold.tenant('acme').policies.get('p')?.isArchived).toBe(true);
    }),
    { numRuns: runs(300) },
  );
  expect(Math.min(met.refused, met.forced)).toBeGreaterThan(hits(10));
});

test('a new order of rules must name every rule once', () => {
  fc.assert(
    fc.property(changes, fc.shuffledSubarray([...RULES, 'gone', 'r']), (records, ruleIds) => {
      const { fold } = folded(records);
      const there = [...fold.tenant('acme').rules.keys()];
      const isWhole = ruleIds.toSorted().join() === there.toSorted().join();
      const { change } = publish('p', 0);
      const reordered = controlRecord.parse({ event: 'rules.reordered', change, ruleIds });
      expect(fold.apply(reordered, records.length + 1).ok).toBe(isWhole);
      if (!isWhole) return;
      const inOrder = [...fold.tenant('acme').rules].toSorted(
        ([, one], [, other]) => one.document.priority - other.document.priority,
      );
      expect(inOrder.map(([id]) => id)).toEqual(ruleIds);
    }),
    { numRuns: runs(300) },
  );
});

test('limits the size of a tenant’s documents, and accepts more after one is removed', () => {
  const { fold, put } = writer();
  const labels = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`l${at}`, 'x'.repeat(60_000)]));
  const most = Math.floor(CAPS.controlUnits / 1_200_000);
  const large = (at: number) => put({ event: 'agent.put', agent: { id: `large-${at}`, labels } });
  for (let at = 0; at < most; at += 1) expect(large(at).ok).toBe(true);
  expect(large(most)).toMatchObject({ ok: false, refusal: 'TOO_MANY' });
  expect(fold.tenant('acme').units).toBe(unitsIn(fold.tenant('acme')));
  expect(large(0).ok).toBe(true);
  put({ event: 'agent.retired', agentId: 'large-1' });
  expect(large(most).ok).toBe(true);
});

test('keeps no state for a name after the last document with that name is gone', () => {
  const { fold, put } = writer();
  for (let at = 0; at < 3; at += 1) {
    put({ event: 'agent.put', agent: { id: `lead-${at}` } });
    put({ event: 'agent.put', agent: { id: 'bot', parent: `lead-${at}` } });
    put({ event: 'rule.put', rule: { version: 1, id: 'r', policy: `p-${at}` } });
  }
  const { rulesOf, childrenOf } = fold.tenant('acme') as unknown as Record<string, Map<string, unknown>>;
  expect([[...(rulesOf?.keys() ?? [])], [...(childrenOf?.keys() ?? [])]]).toEqual([['p-2'], ['lead-2']]);
});

test('remembers the agents that were retired last, and forgets an agent that is registered again', () => {
  const fold = foldControl();
  let revision = 0;
  const put = (
    body: { event: 'agent.put'; agent: { id: string } } | { event: 'agent.retired'; agentId: string },
  ) => {
    revision += 1;
    const change = {
      id: `c${revision}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
    };
    fold.apply({ change, ...body } as ControlRecord, revision);
  };
  const retire = (id: string) => {
    put({ event: 'agent.put', agent: { id } });
    put({ event: 'agent.retired', agentId: id });
  };
  retire('a0');
  retire('a1');
  const { retired, units } = fold.tenant('acme');
  // Fills the memory of retired agents directly. Retiring that many agents would take seconds.
  const [first] = retired.values();
  const filled = retired as Map<string, typeof first>;
  while (filled.size < CAPS.retiredAgents) filled.set(`b${filled.size}`, first);
  retire('last');
  expect([retired.size, retired.has('a0'), retired.has('a1'), units]).toEqual([
    CAPS.retiredAgents,
    false,
    true,
    0,
  ]);
  put({ event: 'agent.put', agent: { id: 'a1' } });
  expect(retired.has('a1')).toBe(false);
});
