/**
 * Tests with random changes that a grant freezes the rules: whatever changes later, an action under the grant is
 * decided as when the grant was issued.
 */

import type { Plan } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tenant } from './tenant-with-grants.ts';

const condition = fc.oneof(
  fc.record({ field: fc.constant('agent.labels.tier'), op: fc.constant('=='), value: fc.constantFrom(1, 2) }),
  fc.record({
    field: fc.constantFrom('action.tool', 'context.environment', 'action.context.environment'),
    op: fc.constantFrom('==', '!='),
    value: fc.constantFrom('prod', 'send'),
  }),
  fc.constant({ field: 'context.environment', op: 'exists', value: false }),
);
const when = fc.oneof(
  condition,
  fc.record({ any: fc.array(condition, { maxLength: 2 }) }),
  fc.record({ all: fc.array(condition, { maxLength: 2 }) }),
  fc.record({ not: fc.array(condition, { maxLength: 2 }) }),
);
const CONTEXTS: readonly Record<string, string>[] = [{}, { environment: 'prod' }, { environment: 'dev' }];
const ACTIONS = ['send', 'read'].flatMap((tool) => CONTEXTS.map((context) => ({ tool, context })));

type Change = (made: ReturnType<typeof tenant>) => void;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(1, 2).map(
    (tier): Change =>
      (made) =>
        made.agent({ labels: { tier } }),
  ),
  fc.record({ id: fc.constantFrom('p', 'q'), allowedTools: fc.subarray(['send', 'read']) }).map(
    (fields): Change =>
      (made) =>
        made.policy(fields),
  ),
  fc
    .record(
      {
        id: fc.constantFrom('r', 's', 't'),
        policy: fc.constantFrom('p', 'q', 'p@1'),
        mode: fc.constantFrom('enforce', 'enforce', 'observe', 'shadow'),
        when,
      },
      { requiredKeys: ['id', 'policy'] },
    )
    .map(
      (fields): Change =>
        (made) =>
          made.rule(fields),
    ),
  fc.constantFrom('r', 's', 't').map(
    (ruleId): Change =>
      (made) =>
        made.put({ event: 'rule.removed', ruleId }),
  ),
);

/** Returns what a plan allows, and the policies that allow it. The name of the mandate is left out. */
function essence(plan: Plan) {
  const { refusal, observe, limits, mandate } = plan;
  return { code: refusal?.code ?? null, observe, limits, policies: mandate?.policies, rules: mandate?.rules };
}

test('whatever changes later, an action is decided as when its grant was issued', () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 8, size: 'max' }),
      fc.constantFrom(...CONTEXTS),
      fc.array(change, { maxLength: 8, size: 'max' }),
      (before, issuedFor, after) => {
        const made = tenant();
        made.agent({ labels: { tier: 1 } });
        made.policy();
        made.policy({ id: 'q', allowedTools: ['read'] });
        made.rule();
        for (const one of before) one(made);
        const sames = ACTIONS.filter(
          ({ context }) =>
            context.environment === undefined ||
            issuedFor.environment === undefined ||
            context.environment === issuedFor.environment,
        );
        const then = sames.map(({ tool, context }) =>
          essence(made.ask({ tool, context: { ...context, ...issuedFor } })),
        );
        if (!made.issue('1', issuedFor)) {
          // No grant can be issued. An agent loses nothing by that, because no action was allowed either.
          expect(then.map(({ code }) => code)).not.toContain(null);
          return;
        }
        for (const one of after) one(made);
        const now = sames.map((asked) => essence(made.ask({ ...asked, mandateId: 'mnd_1' })));
        expect(now).toEqual(then);
        compared += 1;
      },
    ),
    { numRuns: runs(300) },
  );
  expect(compared).toBeGreaterThan(hits(100));
});
