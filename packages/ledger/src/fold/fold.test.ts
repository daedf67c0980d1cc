import { manualClock } from '@mandate/runtime';
import { DEFAULTS, type DecisionsRecord } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { decide, settle, spent } from '../contract/bench.ts';
import {
  AGENT,
  budget,
  confirmation,
  planOf,
  promptRequest,
  rate,
  repeated,
  settleRequest,
  stepRequest,
  TENANT,
  turn,
} from '../contract/builders.ts';
import { createDriver, play, playBatch } from '../contract/drive.ts';
import type { Command } from '../contract/history-command.ts';
import { lawsOfTheFold } from '../contract/laws-of-the-fold.ts';
import { lawOfTurns, type Restart } from '../contract/laws-of-turns.ts';
import { recordsOf } from '../contract/records.ts';
import { stateOf } from '../contract/state-of.ts';
import { createMemoryLedger, type MemoryLedger } from '../memory/memory-ledger.ts';
import type { Operation } from '../port.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import { writeSnapshot } from '../snapshot/write-snapshot.ts';
import { createFold, type Fold, foldRecord } from './fold.ts';

describe('laws of the fold', () => lawsOfTheFold(40));

describe('a ledger in memory that is lost', () => {
  const restart: Restart = async (clock, epoch, state) =>
    createMemoryLedger({ clock, epoch, ...(state && { state }) });
  lawOfTurns(restart, { numRuns: runs(150) });
});

const START_MS = 1_000;
const HOUR_MS = 3_600_000;

function fresh() {
  const clock = manualClock(START_MS);
  return { clock, ledger: createMemoryLedger({ clock, epoch: 'epoch-1' }) };
}

/** Runs the operations on the ledger, and returns their records on the log. */
async function recorded(ledger: MemoryLedger, ...operations: Operation[]): Promise<DecisionsRecord[]> {
  return recordsOf(await playBatch(ledger, operations), ledger.epoch).map(({ record }) => record);
}

/** Returns the fold of the records, as one partition. */
function foldOf(records: readonly DecisionsRecord[]): Fold {
  const fold = createFold();
  records.forEach((record, offset) => {
    foldRecord(fold, { source: { partition: 0, offset }, record });
  });
  return fold;
}

function folded(records: readonly DecisionsRecord[], atMs = START_MS): MemoryLedger {
  return createMemoryLedger({ clock: manualClock(atMs), epoch: 'epoch-2', state: foldOf(records).state });
}

describe('given a log', () => {
  test('answers "published" if a record on the log is delivered again', async () => {
    const request = stepRequest();
    const outcome = settleRequest(request);
    const log = await recorded(fresh().ledger, request, outcome);
    const ledger = folded(log);
    expect(await ledger.step([request, outcome])).toEqual([{ kind: 'published' }, { kind: 'published' }]);
    expect(await ledger.unpublished(TENANT)).toEqual([]);
  });

  test('keeps an open action open until its outcome settles it', async () => {
    const request = stepRequest();
    const ledger = folded(await recorded(fresh().ledger, request));
    expect(await ledger.open(TENANT)).toMatchObject([{ actionId: request.actionId, reservedMicros: 100 }]);
    expect(await settle(ledger, settleRequest(request, { actualMicros: 30 }))).toMatchObject({
      kind: 'settled',
      epoch: 'epoch-2',
      sequence: 2,
      deltaMicros: -70,
    });
  });

  test('settles a decision by an outcome that is before the decision on the log', async () => {
    const request = stepRequest();
    const log = await recorded(fresh().ledger, request, settleRequest(request, { actualMicros: 30 }));
    const ledger = folded(log.toReversed());
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 30 });
    expect(await settle(ledger, settleRequest(request))).toMatchObject({
      kind: 'repeated',
      chargedMicros: 30,
    });
  });

  test('changes nothing for an outcome without a decision', async () => {
    const request = stepRequest();
    const [, outcome] = await recorded(fresh().ledger, request, settleRequest(request));
    expect(await spent(folded(outcome === undefined ? [] : [outcome]), TENANT)).toEqual({});
  });

  test('does not restore a grant if the decision that used it is earlier on the log', async () => {
    const { ledger } = fresh();
    const request = stepRequest({ plan: planOf({ limits: [confirmation] }) });
    const { tenant, agentId, actionId, digest } = request;
    const order = { id: 'g', by: 'op', reason: 'read it', tenant, agentId, actionId, digest };
    const approval = { ...order, answer: 'granted' as const, expiresAtMs: START_MS + HOUR_MS };
    const deferred = await recorded(ledger, request);
    const receipt = await ledger.approve(approval);
    const [grant] = recordsOf([{ did: 'approve', approval, receipt }], ledger.epoch);
    const allowed = await recorded(ledger, repeated(request), settleRequest(request, { status: 'failure' }));
    const log = [...deferred, ...allowed];
    const again = folded(grant === undefined ? [] : [...log, grant.record]);
    const { limits } = await decide(again, repeated(request, { attempt: 2 }));
    expect(limits).toEqual([{ kind: 'confirmation', ok: false, grant: 'none', waiting: 0 }]);
  });

  test('counts a call in its turn, whether the log has its prompt before, after or not yet', async () => {
    const { ledger } = fresh();
    const call = stepRequest({
      agentId: 'bob',
      plan: planOf({ limits: [turn({ agents: ['bob', AGENT] })] }),
    });
    const log = await recorded(ledger, promptRequest(), call);
    const next = stepRequest({ plan: planOf({ limits: [turn()] }) });
    for (const records of [log, log.toReversed()])
      expect((await decide(folded(records), next)).limits).toMatchObject([{ ok: true, calls: 1 }]);
    const withoutPrompt = folded(log.slice(1), START_MS + 10);
    expect((await decide(withoutPrompt, next)).limits).toMatchObject([{ fails: 'unknown' }]);
    await decide(withoutPrompt, promptRequest());
    const again = repeated(next, { actionId: 'another' });
    expect((await decide(withoutPrompt, again)).limits).toMatchObject([
      { ok: true, calls: 1, openedAtMs: START_MS },
    ]);
  });

  test('frees the memory of turns that are forgotten', async () => {
    const { ledger, clock } = fresh();
    const fold = createFold();
    for (let offset = 0; offset < 200; offset += 1) {
      const [record] = await recorded(
        ledger,
        promptRequest({ actionId: `p${offset}`, appendedAtMs: clock() }),
      );
      if (record === undefined) throw new Error('a prompt was decided');
      foldRecord(fold, { source: { partition: 0, offset }, record });
      clock.advance(HOUR_MS);
    }
    const kept = (2 * DEFAULTS.replayMemoryMs) / HOUR_MS;
    expect(fold.state.tenants.get(TENANT)?.turns.size).toBeLessThanOrEqual(kept + 1);
  });

  test('ends with the same question and answer for every order of reading the partitions', async () => {
    const { ledger, clock } = fresh();
    const request = stepRequest({ plan: planOf({ limits: [rate({ maxCalls: 9 }), confirmation] }) });
    const { tenant, agentId, actionId, digest } = request;
    const order = { id: 'g', by: 'op', reason: 'read it', tenant, agentId, actionId, digest };
    const approval = { ...order, answer: 'granted' as const, expiresAtMs: START_MS + HOUR_MS };
    const asked = await recorded(ledger, request);
    clock.advance(10);
    const receipt = await ledger.approve(approval);
    const granted = recordsOf([{ did: 'approve', approval, receipt }], ledger.epoch).map(
      ({ record }) => record,
    );
    clock.advance(10);
    const allowed = await recorded(ledger, repeated(request));
    const whole = [...asked, ...granted, ...allowed];
    const atMs = clock();
    const inOrder = stateOf(foldOf(whole).state, atMs);
    for (const order of [
      [...granted, ...asked, ...allowed],
      [...granted, ...allowed, ...asked],
      [...allowed, ...granted, ...asked],
      [...allowed, ...asked, ...granted],
      [...asked, ...allowed, ...granted],
    ]) {
      const rates = (lines: string[]) => lines.filter((line) => /^\["(rate|waits|grant)"/.test(line));
      expect(rates(stateOf(foldOf(order).state, atMs))).toEqual(rates(inOrder));
    }
    const answered = stateOf(foldOf([...asked, ...granted]).state, atMs);
    expect(stateOf(foldOf([...granted, ...asked]).state, atMs)).toEqual(answered);
  });

  test('skips the second copy of a record, even if it was written much later', async () => {
    const { ledger, clock } = fresh();
    const request = stepRequest();
    const [first] = await recorded(ledger, request);
    const cancelled = await recorded(ledger, settleRequest(request, { status: 'cancelled' }));
    clock.advance(100 * HOUR_MS);
    const later = await recorded(
      ledger,
      ...Array.from({ length: 20 }, () => stepRequest({ agentId: 'other' })),
    );
    const log = first === undefined ? [] : [first, ...cancelled, ...later, first];
    expect(await spent(folded(log, clock()), TENANT)).toEqual({ 'agent other total': 2_000 });
  });

  test('makes a decision of an old epoch void after a new epoch, but never uses its sequence again', async () => {
    const { ledger } = fresh();
    const [before, behind] = [stepRequest(), stepRequest()];
    const [valid, zombie] = await recorded(ledger, before, behind);
    const epoch = { id: 'epoch-2', previous: 'epoch-1', reason: 'rebuilt', at: '2026-01-01T00:00:00.000Z' };
    const begun: DecisionsRecord = { event: 'ledger.epoch', epoch };
    const again = folded(valid === undefined || zombie === undefined ? [] : [valid, begun, zombie]);
    expect(await spent(again, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    expect(await decide(again, behind)).toMatchObject({ first: null, sequence: 3, cumulativeMicros: 200 });
  });

  test('skips a folded record by its position, so that an old epoch does not return', async () => {
    const at = '2026-01-01T00:00:00.000Z';
    const begun = (id: string): DecisionsRecord => ({
      event: 'ledger.epoch',
      epoch: { id, previous: null, reason: 'rebuilt', at },
    });
    const fold = createFold();
    const inputs = ['epoch-1', 'epoch-2'].map((id, at) => ({
      source: { partition: 4, offset: 7 + at },
      record: begun(id),
    }));
    for (const input of [...inputs, ...inputs.slice(0, 1)]) foldRecord(fold, input);
    expect([...fold.positions]).toEqual([[4, 8]]);
    expect([...fold.epochs]).toEqual([[4, { id: 'epoch-2', generation: 0 }]]);
  });

  test('continues from the latest time on the log, from any partition', async () => {
    const { ledger, clock } = fresh();
    const earlier = await recorded(ledger, stepRequest());
    clock.advance(HOUR_MS);
    const later = await recorded(ledger, stepRequest({ agentId: 'other' }));
    const again = folded([...later, ...earlier], 0);
    expect((await decide(again, stepRequest())).atMs).toBe(START_MS + HOUR_MS);
  });

  test('keeps a newer kill if an old revive is repeated, even after a snapshot', async () => {
    const target = { scope: 'agent' as const, tenant: TENANT, agentId: 'agent-1' };
    const { ledger, clock } = fresh();
    const driver = createDriver(ledger, clock, []);
    const commands: Command[] = [
      { do: 'kill', target, id: 'k1', controlRevision: 0 },
      { do: 'revive', target, id: 'r', ahead: 1 },
      { do: 'kill', target, id: 'k2', controlRevision: 0 },
    ];
    const log: DecisionsRecord[] = [];
    for (const command of commands) {
      log.push(...recordsOf(await play(driver, command), ledger.epoch).map(({ record }) => record));
    }
    for (const { state } of [foldOf(log), await readSnapshot(writeSnapshot(foldOf(log)))]) {
      const again = createMemoryLedger({ clock, epoch: 'epoch-2', state });
      expect(await again.revived(target, 'r')).toBe(true);
      expect(await again.revive(target, (await again.flag(target)).revision + 1, 'r')).toBe(false);
      expect(await again.revived(target, 'r2')).toBe(false);
      expect(await again.revive(target, (await again.flag(target)).revision + 1, 'r2')).toBe(true);
    }
  });

  test('uses the last copy of a revive that was appended twice', async () => {
    const target = { scope: 'agent' as const, tenant: TENANT, agentId: 'agent-1' };
    const order = { by: 'op', reason: 'because', at: '2026-01-01T00:00:00.000Z', target };
    const revive = (revision: number): DecisionsRecord => ({
      event: 'agent.revived',
      revive: { ...order, id: 'r', revision },
    });
    const found = { ledgerEpoch: 'epoch-1', ledgerSequences: {}, openCount: 0, open: [] };
    const kill: DecisionsRecord = {
      event: 'agent.killed',
      kill: { ...order, id: 'k', revision: 2, ...found },
    };
    const again = folded([revive(2), kill, revive(3)]);
    expect((await again.killStatus(TENANT, 'agent-1')).killed).toBeNull();
  });

  test('keeps a later decision if the DEFER of its action comes after it on the log', async () => {
    const { ledger } = fresh();
    const request = stepRequest({ plan: planOf({ limits: [confirmation] }) });
    const granted = repeated(request, { plan: planOf() });
    const { tenant, agentId, actionId, digest } = request;
    const [deferred] = await recorded(ledger, request);
    const order = { id: 'g', by: 'op', reason: 'read it', tenant, agentId, actionId, digest };
    await ledger.approve({ ...order, answer: 'granted', expiresAtMs: START_MS + HOUR_MS });
    const [allowed] = await recorded(ledger, granted);
    const again = folded(deferred === undefined || allowed === undefined ? [] : [allowed, deferred]);
    expect((await decide(again, repeated(request))).first).toMatchObject({ verdict: 'ALLOW' });
  });

  test('uses the highest attempt as the latest, in any order', async () => {
    const { ledger } = fresh();
    const blocked = stepRequest({ deadlineAtMs: 0 });
    const retried = repeated(blocked, { attempt: 2, deadlineAtMs: null });
    const log = await recorded(ledger, blocked, retried);
    const again = folded(log.toReversed());
    expect((await decide(again, repeated(blocked, { attempt: 3 }))).first).toMatchObject({ attempt: 2 });
  });

  test('finds the decision of an outcome even if partitions are days apart, also after a snapshot', async () => {
    const { ledger, clock } = fresh();
    const limits = [budget({ scope: 'tenant', subject: '', id: 'team' })];
    const request = stepRequest({ plan: planOf({ limits }) });
    const [allowed] = await recorded(ledger, request);
    clock.advance(HOUR_MS);
    const [cancelled] = await recorded(ledger, settleRequest(request, { status: 'cancelled' }));
    clock.advance(30 * HOUR_MS);
    const [ahead] = await recorded(ledger, stepRequest({ agentId: 'other' }));
    if (allowed === undefined || cancelled === undefined || ahead === undefined)
      throw new Error('no records');
    const fold = createFold();
    foldRecord(fold, { source: { partition: 0, offset: 0 }, record: allowed });
    foldRecord(fold, { source: { partition: 1, offset: 0 }, record: ahead });
    const restored = await readSnapshot(writeSnapshot(fold));
    foldRecord(restored, { source: { partition: 0, offset: 1 }, record: cancelled });
    const again = createMemoryLedger({ clock, epoch: 'epoch-2', state: restored.state });
    expect(await spent(again, TENANT)).toEqual({ 'agent other total': 100 });
  });

  test('uses the later of two decisions on one action, days apart, also after a snapshot', async () => {
    const { ledger, clock } = fresh();
    const request = stepRequest({ plan: planOf({ leaseMs: 1 }) });
    const log = await recorded(ledger, request);
    await ledger.confirm('epoch-1', [request]);
    clock.advance(49 * HOUR_MS);
    const anew = repeated(request);
    log.push(...(await recorded(ledger, anew, stepRequest({ agentId: 'other' }))));
    const { state } = await readSnapshot(writeSnapshot(foldOf(log)));
    const again = createMemoryLedger({ clock, epoch: 'epoch-2', state });
    expect((await decide(again, repeated(request))).first).toMatchObject({ source: anew.source });
  });

  test('uses the later of two decisions on one position, days apart, also after a snapshot', async () => {
    const { ledger, clock } = fresh();
    const request = stepRequest({ plan: planOf({ leaseMs: 1 }) });
    const log = await recorded(ledger, request);
    await ledger.confirm('epoch-1', [request]);
    clock.advance(49 * HOUR_MS);
    log.push(...(await recorded(ledger, request, stepRequest({ agentId: 'other' }))));
    const { state } = await readSnapshot(writeSnapshot(foldOf(log)));
    const again = createMemoryLedger({ clock, epoch: 'epoch-2', state });
    expect(await again.step([request])).toEqual([{ kind: 'published' }]);
  });

  test('settles a decision by an outcome that is before the decision on the log, also after a snapshot', async () => {
    const request = stepRequest();
    const log = await recorded(fresh().ledger, request, settleRequest(request, { actualMicros: 30 }));
    const [allowed, outcome] = log;
    if (allowed === undefined || outcome === undefined) throw new Error('no records');
    const restored = await readSnapshot(writeSnapshot(foldOf([outcome])));
    foldRecord(restored, { source: { partition: 0, offset: 1 }, record: allowed });
    const again = createMemoryLedger({
      clock: manualClock(START_MS),
      epoch: 'epoch-2',
      state: restored.state,
    });
    expect(await spent(again, TENANT)).toEqual({ 'agent agent-1 total': 30 });
  });
});
