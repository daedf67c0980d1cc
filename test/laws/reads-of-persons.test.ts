/** Tests the law of isolation: every allowed read carries the filter of its person, and no read is for another person. */

import { offlineDecider } from '@mandate/engine';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { contentFinders } from '@mandate/privacy';
import { manualClock } from '@mandate/runtime';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';

const STORES = ['episodic', 'semantic'];
const RULES = ['select_store', 'set_query_params', 'bypass_user_filter'];
const FIELDS = ['stores', 'intent', 'limits', 'filter'];

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const governance = fc.record({
  intents: fc.constant([{ id: 'chat', triggers: { fallback: true } }]),
  memory_policies: fc.record({
    core_principle: maybe(fc.constant('system_decides_memory')),
    read: fc.record({
      user_isolation: maybe(fc.constant(true)),
      intent_mapping: fc.record({ chat: fc.subarray(STORES) }),
      max_results: fc.constant({ episodic: 5 }),
      llm_cannot: maybe(fc.subarray(RULES)),
    }),
  }),
});

const read = fc.record({
  principal: maybe(fc.record({ id: fc.constantFrom('u1', 'u2'), role: fc.constantFrom('user', 'admin') })),
  intent: maybe(fc.constantFrom('chat', 'other')),
  stores: maybe(fc.subarray(STORES, { minLength: 1 })),
  limits: maybe(fc.constantFrom({ episodic: 1 }, { episodic: 100 })),
  filter: maybe(fc.constantFrom({}, { user_id: null }, { user_id: 'u1' }, { user_id: 'u2' })),
  origins: fc.dictionary(fc.constantFrom(...FIELDS), fc.constantFrom('model', 'user', 'system')),
});

test('every allowed read carries the filter of its person', async () => {
  const seen = { allowed: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(governance, { minLength: 1, maxLength: 1 }),
      read,
      async ([section], fields) => {
        const document = { version: 1, id: 'm', agents: ['bot'], governance: section };
        const loaded = loadMandates(JSON.stringify(document));
        if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
        const mandates = mandatesOfFile(loaded.mandates, 1);
        const decider = offlineDecider(mandates, (action) => action, manualClock(START_MS), contentFinders);
        const action = { id: 'a', agentId: 'bot', type: 'memory_read', ...fields };
        const record = JSON.stringify({ event: 'action.requested', action });
        const answered = await decider.answer(new TextEncoder().encode(record));
        if (answered.event !== 'action.decided') throw new Error(record);
        const { verdict, obligations } = answered.decision;
        if (verdict !== 'ALLOW') return;
        seen.allowed += 1;
        expect(obligations?.filter).toEqual({ field: 'user_id', is: 'principal.id' });
        expect(fields.principal).toBeDefined();
        expect([undefined, fields.principal?.id]).toContain(fields.filter?.user_id);
      },
    ),
    { numRuns: runs(1_000) },
  );
  expect(seen.allowed).toBeGreaterThanOrEqual(hits(50));
});
