/**
 * Tests that a process that follows every change of rules computes the same as a process that starts now, in the same
 * number of steps.
 */

import { foldControl, type MandatesUnderControl, mandatesUnderControl } from '@mandate/control';
import { controlRecord } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

function plane() {
  const fold = foldControl();
  let changes = 0;
  const apply = (what: object) => {
    changes += 1;
    const change = {
      id: `c${changes}`,
      tenant: 'acme',
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
    };
    fold.apply(controlRecord.parse({ change, ...what }), changes);
  };
  const put = (rule: object) => apply({ event: 'rule.put', rule: { version: 1, policy: 'p', ...rule } });
  for (const id of ['p', 'q']) apply({ event: 'policy.published', policy: { version: 1, id } });
  const labels = { tier: 1, text: 'ab'.repeat(2_000) };
  apply({ event: 'agent.put', agent: { id: 'lead', groups: ['g'], labels } });
  apply({ event: 'agent.put', agent: { id: 'bot', parent: 'lead' } });
  return {
    apply,
    put,
    rules: () => [...fold.tenant('acme').rules.keys()],
    look: () => mandatesUnderControl(fold, () => 0),
  };
}

function found(mandates: MandatesUnderControl, agentId: string) {
  const action = { id: 'a', agentId, type: 'tool_call' as const, tool: 'send', args: { note: 'b' } };
  const { mandate, shadow, ...told } = mandates.mandateFor('acme', action, START_MS);
  return {
    ...told,
    mandate: mandate?.reference,
    shadow: shadow && { ...shadow, mandate: shadow.mandate?.reference },
  };
}

const field = (name: string, op: string, value: unknown) => ({ field: name, op, value });
const rule = fc.record(
  {
    id: fc.constantFrom('r0', 'r1', 'r2', 'r3', 'r4'),
    mode: fc.constantFrom('enforce', 'observe', 'shadow'),
    priority: fc.nat(2),
    policy: fc.constantFrom('p', 'q', 'gone'),
    agents: fc.constantFrom(['bot'], ['l*'], ['*']),
    groups: fc.constant(['g']),
    when: fc.constantFrom(
      field('agent.labels.tier', '==', 1),
      field('action.args.note', 'matches', 'b'),
      { any: [field('agent.labels.text', 'matches', 'a{1000}$'), field('action.tool', '==', 'send')] },
      { not: [field('agent.labels.text', 'matches', 'a{900}$')] },
    ),
  },
  { requiredKeys: ['id'] },
);
const change = fc.oneof(
  { weight: 4, arbitrary: rule.map((put) => ({ put })) },
  { weight: 2, arbitrary: fc.constantFrom('r0', 'r1', 'r2', 'r3').map((remove) => ({ remove })) },
  { weight: 1, arbitrary: fc.constant({ reverse: true }) },
  { weight: 1, arbitrary: fc.constantFrom('p', 'q').map((publish) => ({ publish })) },
);
const asked = fc.subarray(['lead', 'bot']);

test('the results are equal after random changes, with questions in between', () => {
  const told = new Set<boolean>();
  fc.assert(
    fc.property(fc.array(fc.tuple(change, asked), { maxLength: 15, size: 'max' }), (changes) => {
      const { apply, put, rules, look } = plane();
      const following = look();
      for (const [one, agents] of changes) {
        if ('put' in one) put(one.put);
        else if ('remove' in one) apply({ event: 'rule.removed', ruleId: one.remove });
        else if ('reverse' in one) apply({ event: 'rules.reordered', ruleIds: rules().toReversed() });
        else apply({ event: 'policy.published', policy: { version: 1, id: one.publish } });
        for (const agentId of agents) {
          const fresh = found(look(), agentId);
          told.add(fresh.refused === undefined);
          expect(found(following, agentId)).toEqual(fresh);
        }
      }
    }),
    { numRuns: runs(150) },
  );
  expect(told).toEqual(new Set([true, false]));
});

test('after more changes than are remembered, the results are equal whether the changes are applied at once or one by one', () => {
  const { apply, put, look } = plane();
  const following = look();
  const isAsAnew = (agentId: string) => expect(found(following, agentId)).toEqual(found(look(), agentId));
  for (const id of ['lead', 'bot']) isAsAnew(id);
  for (let at = 0; at < 1_100; at += 1)
    put({ id: `many-${at % 40}`, groups: at % 2 ? ['g'] : ['h'], priority: at });
  for (const id of ['lead', 'bot']) isAsAnew(id);
  for (let at = 0; at < 1_100; at += 1) {
    put({ id: `one-${at % 4}`, groups: at % 3 ? ['g'] : ['h'], priority: at });
    following.mandateFor('acme', { id: 'a', agentId: 'lead', type: 'tool_call', tool: 't' }, START_MS);
  }
  for (const id of ['lead', 'bot']) isAsAnew(id);
  for (let at = 0; at < 1_100; at += 1) put({ id: `new-${at}`, groups: ['g'] });
  for (let at = 0; at < 1_050; at += 1) apply({ event: 'rule.removed', ruleId: `new-${at}` });
  for (const id of ['lead', 'bot']) isAsAnew(id);
});
