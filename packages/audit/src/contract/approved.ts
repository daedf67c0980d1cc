/**
 * Tests the approvals question: actions that wait for a person, and the answers that people gave. Plain code over the
 * records computes the expected answer.
 */
import { type Decision, wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { decisionOf, onLog, recordedDecision } from '../arbitrary-history.ts';
import {
  type AuditClient,
  approvals,
  ask,
  type ControlEvent,
  recordControlEvents,
  recordDecisions,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

const START_MS = Date.UTC(2026, 1, 3);
const DEFERRED = { verdict: 'DEFER', code: 'APPROVAL_REQUIRED' } as const;
const EXPIRED = { verdict: 'BLOCK', code: 'APPROVAL_EXPIRED' } as const;
const REPEATED = { ...DEFERRED, kind: 'duplicate' } as const;
const ALLOWED = { verdict: 'ALLOW', code: 'ALLOWED' } as const;

/** `at`: milliseconds after the start of the test. `at` is also the offset of the record. */
type Given = Partial<Decision> & { at: number; void?: boolean };
type Approval = (ControlEvent & { event: 'approval.recorded' })['approval'];
type Asked = Omit<z.input<typeof approvals.params>, 'tenant'>;

export function approved(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  async function decided(tenant: string, decisions: readonly Given[]): Promise<Decision[]> {
    const rows = decisions.map(({ at, void: isVoid, ...facts }) => {
      const decision = decisionOf(tenant, at, { appendedAtMs: START_MS + at, delayMs: 0 });
      return recordedDecision({ ...decision, actionId: 'act', digest: 'd', ...facts }, at, isVoid);
    });
    await recordDecisions(audit, rows);
    return rows.map(({ record }) => record);
  }

  async function answered(tenant: string, at: number, said: Partial<Approval>): Promise<void> {
    const approval: Approval = {
      id: `apr-${at}`,
      by: 'op',
      reason: 'read it',
      at: wireTime(START_MS + at),
      tenant,
      agentId: 'a-1',
      actionId: 'act',
      digest: 'd',
      answer: 'granted',
      expiresAt: wireTime(START_MS + at + 60_000),
      ledgerEpoch: 'ep',
      ledgerSequence: at,
      ...said,
    };
    const record: ControlEvent = { event: 'approval.recorded', approval };
    await recordControlEvents(audit, [{ record, ...onLog(record, 1_000 + at) }]);
  }

  const all = (tenant: string, asked: Asked = {}) => ask(audit, approvals, { tenant, ...asked });
  const waiting = async (tenant: string, asked: Asked = {}) =>
    (await all(tenant, { waiting: true, ...asked })).map(({ actionId, attempt }) => [actionId, attempt]);

  test('lists a deferred action as waiting until another decision about it is made', async () => {
    const [question] = await decided('wait', [
      { at: 1, ...DEFERRED },
      { at: 2, ...REPEATED },
    ]);
    const [row] = await all('wait', { waiting: true });
    expect(row).toEqual({
      decisionId: question?.id,
      agentId: 'a-1',
      actionId: 'act',
      attempt: 1,
      tool: 'get_user',
      arguments: null,
      code: 'APPROVAL_REQUIRED',
      reason: question?.reason,
      costMicros: null,
      estimatedCostMicros: null,
      risk: null,
      principalId: null,
      principalRole: null,
      context: null,
      pinned: [],
      mandateId: null,
      digest: 'd',
      since: question?.decidedAt,
      decidedId: null,
      decidedVerdict: null,
      decidedCode: null,
      decidedAt: null,
      answer: null,
      answeredBy: null,
      answeredWhy: null,
      answeredAt: null,
      expiresAt: null,
      usedBy: null,
    });
    const [allow] = await decided('wait', [{ at: 3, ...ALLOWED }]);
    expect(await waiting('wait')).toEqual([]);
    expect(await all('wait')).toMatchObject([
      {
        decisionId: question?.id,
        decidedId: allow?.id,
        decidedVerdict: 'ALLOW',
        decidedAt: allow?.decidedAt,
      },
    ]);
  });

  test('returns the highest risk that a policy states instead of the claim of the caller', async () => {
    const facts = (risk: string) => ({ check: 'tool-facts', result: 'pass' as const, evidence: { risk } });
    const action = { id: 'act', agentId: 'a-1', type: 'tool_call', tool: 'pay', risk: 'critical' } as const;
    await decided('risk', [{ at: 1, ...DEFERRED, checks: [facts('standard'), facts('safe')], action }]);
    expect(await all('risk')).toMatchObject([{ risk: 'standard' }]);
  });

  test('returns the cost of the waiting action and the claims of the caller', async () => {
    const costMicros = 9_007_199_254_740_991;
    await decided('claims', [
      {
        at: 1,
        ...DEFERRED,
        checks: [
          { check: 'tool', result: 'pass' },
          { check: 'budget', result: 'pass', evidence: { costMicros } },
          { check: 'confirmation', result: 'defer', evidence: { grant: 'none' } },
        ],
        action: {
          id: 'act',
          agentId: 'a-1',
          type: 'tool_call',
          tool: 'pay',
          args: { amount: 0.1 },
          estimatedCostMicros: 0,
          risk: 'standard',
          principal: { id: 'ann', role: 'admin' },
          context: { environment: 'prod', ticket: { id: 7 } },
          pinned: ['context.environment'],
        },
      },
    ]);
    const [row] = await all('claims');
    expect(row).toMatchObject({
      costMicros,
      estimatedCostMicros: 0,
      risk: 'standard',
      principalId: 'ann',
      principalRole: 'admin',
      pinned: ['context.environment'],
      arguments: '{"amount":0.1}',
    });
    expect(JSON.parse(row?.context ?? '')).toEqual({ environment: 'prod', ticket: { id: 7 } });
  });

  test.each<[string, readonly Given[], readonly number[]]>([
    [
      'makes a new question of the next attempt',
      [{ at: 1, ...DEFERRED }, { at: 2 }, { at: 3, ...DEFERRED, attempt: 2 }],
      [2],
    ],
    [
      'keeps the question if a grant came too late',
      [
        { at: 1, ...DEFERRED },
        { at: 2, ...EXPIRED },
      ],
      [1],
    ],
    ['makes another question of an id that is used again', [{ at: 1 }, { at: 9, ...DEFERRED }], [1]],
    ['makes no question of a repeat alone', [{ at: 1, ...REPEATED }], []],
    ['ignores a void question', [{ at: 1, ...DEFERRED, void: true }], []],
    [
      'keeps a question after a void decision',
      [
        { at: 1, ...DEFERRED },
        { at: 2, void: true },
      ],
      [1],
    ],
    [
      'keeps apart the same action id of two agents',
      [
        { at: 1, ...DEFERRED },
        { at: 2, agentId: 'a-2' },
      ],
      [1],
    ],
  ])('%s', async (name, decisions, attempts) => {
    const tenant = name.replaceAll(' ', '-');
    await decided(tenant, decisions);
    expect(await waiting(tenant)).toEqual(attempts.map((attempt) => ['act', attempt]));
    expect(await waiting(`${tenant}-else`)).toEqual([]);
  });

  test('returns the last answer that a person gave to the question, and the decision that used this answer', async () => {
    await decided('said', [{ at: 10, ...DEFERRED }]);
    await answered('said', 5, { reason: 'to the question before' });
    await answered('said', 11, { digest: 'other' });
    await answered('said', 11, { id: 'apr-x', agentId: 'a-2' });
    expect(await all('said')).toMatchObject([{ answer: null, answeredAt: null }]);
    await answered('said', 12, { answer: 'denied', reason: 'no' });
    expect(await all('said')).toMatchObject([{ answer: 'denied', answeredWhy: 'no', expiresAt: null }]);
    await answered('said', 13, {});
    const granted = {
      answer: 'granted',
      answeredBy: 'op',
      answeredAt: wireTime(START_MS + 13),
      expiresAt: wireTime(START_MS + 60_013),
    };
    expect(await all('said')).toMatchObject([{ ...granted, usedBy: null }]);
    expect(await waiting('said')).toEqual([]);
    const [allow] = await decided('said', [{ at: 14, ...ALLOWED, grantConsumed: true }]);
    expect(await all('said')).toMatchObject([{ ...granted, usedBy: allow?.id, decidedId: allow?.id }]);
    await decided('said', [{ at: 15, ...DEFERRED, attempt: 2 }]);
    expect(await all('said')).toMatchObject([{ attempt: 2, answer: null, usedBy: null }]);
  });

  test('returns pages, filters by agent, action and time, and returns only the newest question of an action', async () => {
    const questions = [1, 2, 3, 4, 5].map((at) => ({ at, ...DEFERRED, actionId: `act-${at}` }));
    await decided('pages', [...questions, { at: 9, ...DEFERRED, actionId: 'act-1', attempt: 2 }]);
    const seen: string[] = [];
    let before: string | undefined;
    for (let page = await all('pages', { limit: 2 }); page.length > 0; ) {
      expect(page.length).toBeLessThanOrEqual(2);
      seen.push(...page.map(({ actionId }) => actionId));
      before = page.at(-1)?.decisionId;
      page = await all('pages', { limit: 2, ...(before && { before }) });
    }
    expect(seen).toEqual(['act-1', 'act-5', 'act-4', 'act-3', 'act-2']);
    const found = async (asked: Asked) => (await waiting('pages', asked)).map(([actionId]) => actionId);
    expect(await found({ actionId: 'act-3' })).toEqual(['act-3']);
    expect(await found({ agentId: 'a-2' })).toEqual([]);
    expect(await found({ fromMs: START_MS + 3, toMs: START_MS + 5 })).toEqual(['act-4', 'act-3']);
    expect(await found({ fromMs: START_MS, toMs: START_MS + 2 })).toEqual([]);
  });

  test('returns the same approvals as plain code, for any decisions', async () => {
    const some = fc.record({
      actionId: fc.constantFrom(...Array.from({ length: 40 }, (_, n) => `act-${n}`)),
      agentId: fc.constantFrom('a-1', 'a-2'),
      ruling: fc.constantFrom(DEFERRED, REPEATED, EXPIRED, ALLOWED, { ...ALLOWED, grantConsumed: true }),
    });
    const decisions = await decided(
      'any',
      fc
        .sample(some, 300)
        .map(({ ruling, ...of }, at) => ({ at, ...of, ...ruling }))
        .map((given) => ({ ...given, void: given.at % 7 === 0 })),
    );
    const counted = decisions.filter(({ kind }, at) => kind !== 'duplicate' && at % 7 !== 0).reverse();
    const isQuestion = ({ code }: Decision) => code !== 'ALLOWED';
    const nameOf = ({ agentId, actionId }: Decision) => `${agentId} ${actionId}`;
    const newest = new Map<string, Decision>();
    for (const decision of counted.filter(isQuestion)) {
      if (!newest.has(nameOf(decision))) newest.set(nameOf(decision), decision);
    }
    const byHand = [...newest.values()].map((asked) => {
      const last = counted.find((other) => nameOf(other) === nameOf(asked));
      return { decisionId: asked.id, decidedId: last?.id === asked.id ? null : last?.id };
    });
    const told = (await all('any', { limit: 1_000 })).map(({ decisionId, decidedId }) => ({
      decisionId,
      decidedId,
    }));
    expect(told).toEqual(byHand);
    const open = (await all('any', { limit: 1_000, waiting: true })).map(({ decisionId }) => decisionId);
    expect(open).toEqual(byHand.filter(({ decidedId }) => decidedId === null).map((row) => row.decisionId));
    expect([open.length > 5, told.length > open.length + 5]).toEqual([true, true]);
  });
}
