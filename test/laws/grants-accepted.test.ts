/**
 * Tests which grants the control state accepts: a grant of the documents at its log position, and each request once.
 */
import { CAPS, wireTime } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { governed, TTL_MS } from './tenant-with-grants.ts';

describe('the control state', () => {
  const wrong: [string, string, (made: object) => object, object?][] = [
    ['a grant that lasts too long', 'GRANT_UNFIT', (made) => ({ ...made, ttlMs: CAPS.grantTtlMs + 1 })],
    ['a grant that lasts longer than requested', 'GRANT_UNFIT', (made) => ({ ...made, ttlMs: TTL_MS - 1 })],
    ['a grant that has ended', 'GRANT_UNFIT', (made) => ({ ...made, expiresAt: wireTime(START_MS) })],
    ['a grant without rules', 'GRANT_UNFIT', (made) => ({ ...made, rules: [] })],
    ['a grant composed at a future revision', 'GRANT_UNFIT', (made) => ({ ...made, foundAt: 1_000 })],
    ['a grant of an unknown agent', 'NOT_FOUND', (made) => ({ ...made, agentId: 'nobody' })],
    ['a grant composed before a change', 'REVISION_CONFLICT', (made) => ({ ...made, foundAt: 2 })],
    ...[
      { rule: 'gone', policy: 'p@1', mode: 'enforce' },
      { rule: 'r', policy: 'p@2', mode: 'enforce' },
      { rule: 'r', policy: 'q@1', mode: 'enforce' },
      { rule: 'r', policy: 'p@1', mode: 'observe' },
      { rule: 'later', policy: 'p@1', mode: 'shadow' },
    ].map((one): [string, string, (made: object) => object] => [
      `one of ${JSON.stringify(one)}`,
      'GRANT_UNFIT',
      (made) => ({ ...made, rules: [one] }),
    ]),
  ];
  test.each(wrong)('refuses %s', (_, refusal, changed) => {
    const { policy, rule, put, grant, fold } = governed();
    policy({ id: 'q' });
    rule({ id: 'later', mode: 'shadow' });
    const made = grant('1') ?? {};
    expect(put({ event: 'grant.issued', grant: changed(made) })).toMatchObject({ ok: false, refusal });
    expect(fold.tenant('acme').issued.byId.size).toBe(0);
    const current = { ...made, foundAt: fold.tenant('acme').revision };
    expect(put({ event: 'grant.issued', grant: current })).toMatchObject({ ok: true });
  });

  test('refuses a grant that was composed before a rule, a policy or the agent changed', () => {
    const { agent, policy, rule, archive, put, grant } = governed();
    for (const change of [agent, policy, rule, archive]) {
      const made = grant('1');
      change();
      if (made !== null)
        expect(put({ event: 'grant.issued', grant: made })).toMatchObject({
          refusal: 'REVISION_CONFLICT',
        });
    }
  });

  test('accepts the same request for a grant once, even with another grant id', () => {
    const { put, grant, revoke, fold, passes } = governed();
    const change = { id: 'chg-of-a-key' };
    const first = put({ event: 'grant.issued', grant: grant('1') }, change);
    passes(1_000);
    expect(put({ event: 'grant.issued', grant: grant('2') }, change)).toEqual(first);
    expect([...fold.tenant('acme').issued.byId.keys()]).toEqual(['mnd_1']);
    for (const other of [grant('3', { a: 'b' }), { ...grant('3'), ttlMs: TTL_MS + 1 }])
      expect(put({ event: 'grant.issued', grant: other }, change)).toMatchObject({
        refusal: 'ID_REUSED',
      });
    expect(revoke('9')).toMatchObject({ refusal: 'NOT_FOUND' });
  });
});
