/**
 * Tests grants if two clocks differ: the clock of the process that issues a grant, and the ledger's clock. Rules
 * begin and end meanwhile. By the ledger's clock, a grant must never allow more than the rules allow at that moment.
 */

import { wireTime } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { codeOf, TTL_MS, tenant } from './tenant-with-grants.ts';

const at = (ms: number) => wireTime(START_MS + ms);
const edge = fc.constantFrom(-90_000, -1, 0, 1, 500, 90_000);
const validity = fc
  .record({ from: edge, until: edge }, { requiredKeys: [] })
  .filter(({ from, until }) => from === undefined || until === undefined || from < until)
  .map(({ from, until }) => ({
    ...(from !== undefined && { startsAt: at(from) }),
    ...(until !== undefined && { endsAt: at(until) }),
  }));
const rule = fc.record({
  policy: fc.constantFrom('p', 'q'),
  validity,
  when: fc.constantFrom({}, { when: { field: 'action.tool', op: '==', value: 'send' } }),
});

test('an action under a grant is decided as by the rules at that time, or refused', () => {
  let allowed = 0;
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 3 }),
      edge,
      fc.array(edge, { minLength: 1, maxLength: 4 }),
      (rules, aheadMs, times) => {
        const made = tenant();
        made.agent();
        made.policy({ allowedTools: ['send', 'read'] });
        made.policy({ id: 'q', allowedTools: ['read'] });
        for (const [id, { policy, validity, when }] of rules.entries())
          made.rule({ id: `r${id}`, policy, ...validity, ...when });
        made.passes(aheadMs);
        if (!made.issue('1')) return;
        for (const ms of times) {
          for (const tool of ['send', 'read']) {
            const under = made.ask({ tool, mandateId: 'mnd_1' }, START_MS + ms);
            if (under.refusal !== null) continue;
            const { refusal, mandate } = made.ask({ tool }, START_MS + ms);
            expect([refusal, mandate?.policies]).toEqual([null, under.mandate?.policies]);
            allowed += 1;
          }
        }
      },
    ),
    { numRuns: runs(300) },
  );
  expect(allowed).toBeGreaterThan(hits(100));
});

test('a rule that has ended by the issuer’s clock, but not by the ledger’s, still counts in a grant', () => {
  const { agent, policy, rule, passes, issue, ask } = tenant();
  agent();
  policy();
  rule();
  policy({ id: 'none', allowedTools: [] });
  rule({ id: 's', policy: 'none', endsAt: at(500) });
  passes(2_000);
  issue('1');
  const under = (atMs: number) => ask({ mandateId: 'mnd_1' }, atMs);
  expect(under(START_MS + 499)).toMatchObject({
    refusal: { code: 'MANDATE_NOT_FOUND', reason: expect.stringContaining(`begins at ${at(500)}`) },
    holdsFromMs: 0,
    holdsUntilMs: START_MS + 500,
  });
  expect(under(START_MS + 500)).toMatchObject({
    refusal: null,
    holdsFromMs: START_MS + 500,
    holdsUntilMs: START_MS + 2_000 + TTL_MS,
  });
  // No rule for this agent begins or ends, so the grant is valid from the start, whatever the clocks say.
  rule({ id: 's', policy: 'none', agents: ['other'], endsAt: at(500) });
  issue('2');
  expect(codeOf(ask({ mandateId: 'mnd_2' }))).toBe('ALLOWED');
});
