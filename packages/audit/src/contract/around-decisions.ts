/**
 * Tests the questions about what surrounds a decision: its neighbours, children, duplicates and trace, and the acts
 * of operators.
 */
import { type Decision, sortableId, wireTime } from '@mandate/schemas';
import { beforeAll, expect, test } from 'vitest';
import { decisionOf, onLog, recordedDecision } from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  type ControlEvent,
  childrenOf,
  decisionsAfter,
  decisionsBefore,
  decisionsOfTrace,
  duplicatesOf,
  eventsBehind,
  kills,
  recordControlEvents,
  recordDecisions,
  searchControlEvents,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

const START_MS = Date.UTC(2026, 0, 30);
const TRACE = 'a'.repeat(32);
const ALWAYS = {
  fromId: sortableId('dec', START_MS, ''),
  toId: sortableId('dec', START_MS + 86_400_000, ''),
};

type Given = Partial<Decision> & { offset: number; appendedAtMs?: number; traceId?: string; void?: boolean };

export function aroundDecisions(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  async function recorded(tenant: string, decisions: readonly Given[]): Promise<Decision[]> {
    const rows = decisions.map((given) => {
      const { offset, appendedAtMs = START_MS + offset, traceId = null, void: isVoid, ...facts } = given;
      const decision = { ...decisionOf(tenant, offset, { appendedAtMs }), ...facts };
      return { ...recordedDecision(decision, offset, isVoid), traceId };
    });
    await recordDecisions(audit, rows);
    return rows.map(({ record }) => record);
  }

  const actions = (rows: readonly { actionId: string }[]) => rows.map(({ actionId }) => actionId);

  test('returns neighbours of the same agent, nearest first, in the order of the log within a millisecond', async () => {
    const tenant = 'neighbours';
    const now = START_MS + 1_000;
    await recorded(tenant, [
      { offset: 1, appendedAtMs: now - 2 },
      { offset: 2, appendedAtMs: now - 1, agentId: 'a-2' },
      { offset: 3, appendedAtMs: now - 1, void: true },
      // Ids of one millisecond sort by their hash. These ids sort in the opposite order of the log.
      { offset: 9, appendedAtMs: now, id: sortableId('dec', now, '1'.repeat(20)) },
      { offset: 8, appendedAtMs: now, id: sortableId('dec', now, '2'.repeat(20)) },
      { offset: 7, appendedAtMs: now, id: sortableId('dec', now, '3'.repeat(20)) },
      { offset: 11, appendedAtMs: now + 1 },
      { offset: 12, appendedAtMs: now + 86_400_000 },
    ]);
    const asked = { tenant, agentId: 'a-1', atMs: now, offset: 8, ...ALWAYS };
    expect(actions(await ask(audit, decisionsBefore, asked))).toEqual(['act-7', 'act-1']);
    expect(actions(await ask(audit, decisionsAfter, asked))).toEqual(['act-9', 'act-11']);
    expect(actions(await ask(audit, decisionsBefore, { ...asked, offset: 9, limit: 1 }))).toEqual(['act-8']);
    expect(actions(await ask(audit, decisionsAfter, { ...asked, offset: 1, limit: 2 }))).toEqual([
      'act-7',
      'act-8',
    ]);
  });

  test('finds the children of an action by its id, for any agent', async () => {
    const tenant = 'children';
    const child = (offset: number, parentActionId: string, more: Partial<Given> = {}): Given => {
      const { action } = decisionOf(tenant, offset);
      return { offset, action: { ...action, parentActionId }, ...more };
    };
    await recorded(tenant, [child(1, 'parent'), child(2, 'parent', { agentId: 'a-2' }), child(3, 'other')]);
    const asked = { tenant, actionId: 'parent', ...ALWAYS };
    expect(actions(await ask(audit, childrenOf, asked))).toEqual(['act-1', 'act-2']);
    const tooLate = { fromId: ALWAYS.toId, toId: sortableId('dec', START_MS * 2, '') };
    expect(await ask(audit, childrenOf, { ...asked, ...tooLate })).toEqual([]);
  });

  test('finds duplicates that have the same action id and duplicates that have another action id', async () => {
    const tenant = 'repeats';
    const [first] = await recorded(tenant, [{ offset: 1 }]);
    const id = first?.id ?? '';
    const duplicateOf = {
      decisionId: id,
      actionId: 'act-1',
      attempt: 1,
      verdict: 'ALLOW',
      code: 'ALLOWED',
      samePayload: true,
    } as const;
    await recorded(tenant, [
      { offset: 2, kind: 'duplicate', actionId: 'act-1', duplicateOf },
      { offset: 3, kind: 'duplicate', duplicateOf },
      { offset: 4, kind: 'duplicate', duplicateOf: { ...duplicateOf, decisionId: 'dec_other' } },
    ]);
    const found = await ask(audit, duplicatesOf, { tenant, agentId: 'a-1', id, ...ALWAYS });
    expect(actions(found)).toEqual(['act-1', 'act-3']);
  });

  test('returns a trace from its beginning, with records of one tenant only', async () => {
    const of = (offset: number) => ({ offset, traceId: TRACE });
    await recorded('trace', [of(2), of(1), { offset: 3 }, { offset: 4, traceId: 'b'.repeat(32) }]);
    await recorded('trace-else', [of(5)]);
    const found = await ask(audit, decisionsOfTrace, { tenant: 'trace', traceId: TRACE });
    expect(actions(found)).toEqual(['act-1', 'act-2']);
  });

  const operator = { by: 'op', reason: 'because' };
  const at = (ms: number) => wireTime(START_MS + ms);

  function killed(
    id: string,
    target: (ControlEvent & { event: 'agent.killed' })['kill']['target'],
    ms: number,
    open: (ControlEvent & { event: 'agent.killed' })['kill']['open'] = [],
    ledgerSequences: Record<string, number> = {},
    revision = 1,
  ): ControlEvent {
    const kill = { ...operator, id, at: at(ms), target, revision, ledgerEpoch: 'ep', ledgerSequences };
    return { event: 'agent.killed', kill: { ...kill, openCount: open.length, open } };
  }

  async function happened(events: readonly ControlEvent[]): Promise<void> {
    await recordControlEvents(
      audit,
      events.map((record, n) => ({ record, ...onLog(record, n) })),
    );
  }

  test('returns approvals of the same agent and action, and kills up to a given time', async () => {
    const tenant = 'behind';
    const approval = (actionId: string): ControlEvent => ({
      event: 'approval.recorded',
      approval: {
        ...operator,
        id: `of-${actionId}`,
        at: at(900),
        tenant,
        agentId: 'a-1',
        actionId,
        digest: 'd',
        answer: 'granted',
        expiresAt: at(9_000),
        ledgerEpoch: 'ep',
        ledgerSequence: 1,
      },
    });
    await happened([
      killed('mine', { scope: 'agent', tenant, agentId: 'a-1' }, 1),
      killed('another', { scope: 'agent', tenant, agentId: 'a-2' }, 2),
      killed('subtree', { scope: 'subtree', tenant, agentId: 'lead' }, 3),
      killed('another-subtree', { scope: 'subtree', tenant, agentId: 'a-2' }, 3),
      killed('tenant', { scope: 'tenant', tenant }, 3),
      killed('theirs', { scope: 'tenant', tenant: 'behind-else' }, 4),
      killed('all', { scope: 'all' }, 5, [], { [tenant]: 7, 'behind-else': 9 }),
      killed('later', { scope: 'tenant', tenant }, 500),
      approval('act-1'),
      approval('act-2'),
    ]);
    const asked = { tenant, agentId: 'a-1', actionId: 'act-1', toMs: START_MS + 100 };
    const found = await ask(audit, eventsBehind, asked);
    expect(found.map(({ id }) => id)).toEqual(['of-act-1', 'all', 'tenant', 'mine']);
    const below = await ask(audit, eventsBehind, { ...asked, ancestors: ['mid', 'lead'] });
    expect(below.map(({ id, agentId }) => [id, agentId])).toEqual([
      ['of-act-1', 'a-1'],
      ['all', null],
      ['tenant', null],
      ['subtree', 'lead'],
      ['mine', 'a-1'],
    ]);
    expect(found[0]).toMatchObject({ answer: 'granted', scope: null, ledgerSequence: null });
    expect(found[1]).toMatchObject({ ledgerSequence: 7, ledgerEpoch: 'ep' });
    expect(found[2]).toMatchObject({ ledgerSequence: null });
  });

  test('ends a kill with the first later revive of the same switch, even if clocks disagree', async () => {
    const tenant = 'ended';
    const bot = { scope: 'agent', tenant, agentId: 'a-1' } as const;
    const revived = (
      id: string,
      target: typeof bot | { scope: 'tenant'; tenant: string },
      revision: number,
    ) =>
      ({
        event: 'agent.revived',
        revive: { ...operator, id, at: at(20_000), target, revision, by: id },
      }) satisfies ControlEvent;
    await happened([
      killed('first', bot, 20_001, [], {}, 1),
      killed('again', bot, 20_002, [], {}, 2),
      revived('end', bot, 3),
      killed('newer', bot, 20_003, [], {}, 4),
      killed('subtree', { ...bot, scope: 'subtree' }, 20_004, [], {}, 1),
      killed('tenant', { scope: 'tenant', tenant }, 20_005, [], {}, 1),
      revived('open', { scope: 'tenant', tenant }, 2),
      revived('later', { scope: 'tenant', tenant }, 4),
      killed('theirs', { scope: 'tenant', tenant: 'ended-else' }, 20_006, [], {}, 1),
    ]);
    const own = async (more: object = {}) =>
      (await ask(audit, kills, { tenant, ...more }))
        .filter(({ killedAt }) => killedAt >= at(20_000))
        .map(({ id, revivedBy }) => [id, revivedBy]);
    expect(await own()).toEqual([
      ['tenant', 'open'],
      ['subtree', null],
      ['newer', null],
      ['again', 'end'],
      ['first', 'end'],
    ]);
    expect(await own({ inForce: true, agentId: 'a-1' })).toEqual([
      ['subtree', null],
      ['newer', null],
    ]);
    expect(await own({ id: 'again' })).toEqual([['again', 'end']]);
    expect(await own({ id: 'theirs' })).toEqual([]);
    const paged = { beforeMs: START_MS + 20_003, beforeId: 'newer' };
    expect(await own({ ...paged, limit: 1 })).toEqual([['again', 'end']]);
  });

  test('returns the calls that were open at a kill, and counts no calls of other tenants', async () => {
    const tenant = 'open';
    const action = { agentId: 'a-1', actionId: 'act-1', attempt: 1 };
    const whole = {
      ...{ ...action, type: 'tool_call' as const, tool: 'pay', digest: 'd', sequence: 1 },
      ...{ reservedMicros: 1, decidedAtMs: START_MS, leaseExpiresAtMs: START_MS + 1 },
    };
    const open = [
      { tenant, ...whole },
      { tenant: 'open-else', ...whole, actionId: 'secret' },
    ];
    await happened([
      killed('own', { scope: 'tenant', tenant }, 10_000, open.slice(0, 1)),
      killed('everything', { scope: 'all' }, 10_001, open),
    ]);
    const found = await ask(audit, searchControlEvents, { tenant, fromMs: START_MS + 10_000 });
    expect(found.map(({ id, open, openCount }) => [id, open, openCount])).toEqual([
      ['everything', [action], null],
      ['own', [action], 1],
    ]);
  });
}
