/** Tests how many grants a tenant can have, how large they may be, and which of them are remembered. */
import type { TenantControl } from '@mandate/control';
import { CAPS, type ControlRecord, wireTime } from '@mandate/schemas';
import { describe, expect, test, vi } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { codeOf, governed, TTL_MS, tenant } from './tenant-with-grants.ts';

describe('the grants of a tenant', () => {
  /** Returns a tenant that can issue many grants quickly, because rules are not evaluated each time. */
  function many() {
    const made = governed();
    const first = made.grant('1') ?? {};
    let issued = 0;
    return {
      ...made,
      issueAt(atMs: number) {
        issued += 1;
        const expiresAt = wireTime(atMs + 60_000);
        const grant = { ...first, id: `mnd_${issued}`, context: { n: issued }, expiresAt };
        const change = { id: `i-${issued}`, tenant: 'acme', by: '', reason: '', at: wireTime(atMs) };
        const record = { event: 'grant.issued', grant, change } as unknown as ControlRecord;
        return made.fold.apply(record, 100_000 + issued).ok;
      },
    };
  }

  test('are limited in number, and another is accepted after one is revoked or has ended', () => {
    const { issueAt, revoke } = many();
    let taken = 0;
    for (let at = 0; at <= CAPS.grants; at += 1) if (issueAt(START_MS)) taken += 1;
    expect(taken).toBe(CAPS.grants);
    expect(issueAt(START_MS + 59_999)).toBe(false);
    revoke('7');
    expect([issueAt(START_MS), issueAt(START_MS)]).toEqual([true, false]);
    expect(issueAt(START_MS + 60_000)).toBe(true);
  });

  test('are also limited by the quota of the tenant', () => {
    const { issueAt, revoke, put } = many();
    put({ event: 'tenant.put', tenant: { version: 1, id: 'acme', quotas: { grants: 2 } } });
    expect([issueAt(START_MS), issueAt(START_MS), issueAt(START_MS)]).toEqual([true, true, false]);
    revoke('1');
    expect([issueAt(START_MS), issueAt(START_MS)]).toEqual([true, false]);
  });

  test('are forgotten some time after their end, measured by the times of later grants, and then allow nothing', () => {
    const { issueAt, fold, ask } = many();
    const { byId } = fold.tenant('acme').issued;
    for (let at = 0; at < 900; at += 1) issueAt(START_MS);
    for (let at = 0; at < 99; at += 1) issueAt(START_MS + 30_000);
    issueAt(START_MS + 60_000);
    expect(ask({ mandateId: 'mnd_1' }, START_MS + 60_000).refusal).toMatchObject({ code: 'MANDATE_EXPIRED' });
    issueAt(START_MS + 60_000);
    expect([byId.size, byId.has('mnd_900'), byId.has('mnd_901')]).toEqual([101, false, true]);
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('MANDATE_NOT_FOUND');
    expect(codeOf(ask({ mandateId: 'mnd_901' }))).toBe('ALLOWED');
  });
});

describe('the documents that grants are composed of', () => {
  const unitsOf = (document: object) => JSON.stringify(document).length;
  const unitsIn = ({ byId }: TenantControl['issued']) => {
    const parts = [...byId.values()].flatMap(({ agent, rules }) => [agent, ...rules.map(({ rule }) => rule)]);
    const documents = [...new Set<{ document: object }>([...byId.values(), ...parts])];
    return documents.reduce((sum, { document }) => sum + unitsOf(document), 0);
  };

  test('are counted once while grants use them, even if several grants use the same document', () => {
    const { agent, rule, issue, revoke, passes, put, fold } = governed();
    const { issued } = fold.tenant('acme');
    agent({ id: 'other' });
    rule({ id: 's', priority: 7 });
    for (const id of ['1', '2']) issue(id, { environment: 'prod' });
    rule({ priority: 100 });
    issue('3', {}, 'other');
    revoke('1');
    expect(issued.units).toBe(unitsIn(issued));
    put({ event: 'agent.retired', agentId: 'other' });
    expect(issued.units).toBe(unitsIn(issued));
    passes(TTL_MS);
    agent();
    for (let at = 4; at < 1_003; at += 1) issue(`${at}`);
    expect([issued.byId.size, issued.units]).toEqual([999, unitsIn(issued)]);
    put({ event: 'agent.retired', agentId: 'bot' });
    expect(issued.units).toBe(0);
  });

  test('are limited in size, and more are accepted after a grant ends', () => {
    const { agent, policy, rule, grant, revoke, fold } = tenant();
    agent();
    policy({ id: 'p'.repeat(190) });
    for (let at = 0; at < CAPS.rulesPerMandate; at += 1)
      rule({ id: `${'r'.repeat(190)}${at}`, policy: 'p'.repeat(190) });
    const { issued } = fold.tenant('acme');
    const first = grant('0');
    let asked = 0;
    const issue = () => {
      asked += 1;
      const made = { ...first, id: `mnd_${asked}` };
      const change = { id: `i-${asked}`, tenant: 'acme', by: '', reason: '', at: wireTime(START_MS) };
      const record = { event: 'grant.issued', grant: made, change } as ControlRecord;
      return fold.apply(record, 100_000 + asked);
    };
    while (issue().ok);
    expect(issue()).toMatchObject({ refusal: 'TOO_MANY' });
    expect([issued.byId.size, issued.units]).toEqual([asked - 2, unitsIn(issued)]);
    expect(issued.units).toBeGreaterThan(CAPS.controlUnits - 100_000);
    expect(issued.units).toBeLessThanOrEqual(CAPS.controlUnits);
    revoke('7');
    expect([issue().ok, issue().ok]).toEqual([true, false]);
  });
});

describe('the compiled mandate of a grant', () => {
  test('is compiled once', () => {
    const made = governed();
    made.issue('1');
    const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'read', mandateId: 'mnd_1' } as const;
    const mandateOf = () => made.mandates.mandateFor('acme', action, START_MS).mandate;
    expect(mandateOf()).not.toBeNull();
    expect(mandateOf()).toBe(mandateOf());
  });

  test('is remembered only for the grants that were used last', () => {
    const { rule, issue, ask, fold } = governed();
    rule({ id: 's', when: { field: 'context.note', op: 'exists' } });
    issue('1');
    const looks = vi.spyOn(fold.tenant('acme').policies, 'get');
    const looked = (note: string) => {
      looks.mockClear();
      ask({ mandateId: 'mnd_1', context: { note } });
      return looks.mock.calls.length > 0;
    };
    for (let at = 0; at < 100; at += 1) expect(looked(`${at}`)).toBe(true);
    expect([looked('99'), looked('0')]).toEqual([false, true]);
  });
});
