/**
 * Turns under load, while Redis loses the ledger twice and a decider is killed each time. Agents under a manifest
 * ask prompts, calls, reads, saves and answers. A part of it arrives twice, and a person approves calls meanwhile.
 * Afterwards each turn has allowed as many calls as its limit gives, and each person has used the whole rate and not
 * one call more. Each approved call ran once, and `reconcile` finds no broken law.
 */
import { approvalId, type Decision } from '@mandate/schemas';
import {
  byLength,
  describeWithOwnServers,
  emptyRedis,
  SEED,
  seededRandom,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { outcome } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { appendUntilTaken, type FollowedLog, followLog } from './support/follow-log.ts';
import {
  type AskedTurn,
  actionsOf,
  askedTurns,
  CALLS_OF_TURN,
  governedMandates,
  requested,
  SENDS_OF_PERSON,
} from './support/turns-at-work.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

/** The turns between two faults. */
const SHARE = byLength({ short: 40, full: 400, long: 2_000 });
/** Few enough that some persons use up their rate. */
const PERSONS = byLength({ short: 10, full: 31 });
/** The share of turns that arrive a second time. */
const REPEATED = 0.1;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'turns', () => {
  test(`keep their limits while deciders are killed and Redis forgets (SEED=${SEED})`, {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(SEED);
    const { servers, bus, api, startDecider, expectLawsHold } = await wholePlane(governedMandates(), {
      startLedger: () => startRedis(),
      settings: { MANDATE_REDIS_REQUIRE_APPEND_ONLY: 'false' },
      deciders: SMALL_BATCHES,
    });
    const deciders = await Promise.all([startDecider(), startDecider(), startDecider()]);
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    const turns: AskedTurn[] = [];
    let asked = 0;

    async function ask(): Promise<void> {
      const share = askedTurns(turns.length, SHARE, random, { persons: PERSONS });
      turns.push(...share);
      asked += share.reduce((sum, turn) => sum + actionsOf(turn).length, 0);
      const sent = share.flatMap((turn) => (random() < REPEATED ? [turn, turn] : [turn]));
      await appendUntilTaken(bus, sent.flatMap(actionsOf).map(requested));
    }
    const half = () => waitUntil('half of it', () => seen.decisions.size >= asked - SHARE * 5, PATIENCE_MS);

    for (const [at, lose] of [() => emptyRedis(servers.redis.url), () => servers.redis.restart()].entries()) {
      await ask();
      const approving = approveWipes(turns.slice(-SHARE));
      await half();
      await lose();
      await deciders[at]?.kill('SIGKILL');
      deciders[at] = await startDecider();
      await approving;
    }
    await ask();
    await approveWipes(turns.slice(-SHARE));
    await expectWhole(seen, asked);

    expectTurnsKept(turns, seen);
    expectRatesUsed(turns, seen);
    expect(seen.epochs.size).toBeGreaterThanOrEqual(3);
    await expectLawsHold();

    /** Approves each deferred call, and asks it again until it was allowed. */
    async function approveWipes(share: readonly AskedTurn[]): Promise<void> {
      for (const { wipe } of share) {
        if (wipe === undefined) continue;
        const deferred = await waitUntil('the question', () => seen.decisions.get(wipe.id), PATIENCE_MS);
        expect(deferred).toMatchObject({ verdict: 'DEFER', code: 'APPROVAL_REQUIRED' });
        await waitUntil('the approval to be taken', () => approve(deferred), PATIENCE_MS);
        await waitUntil(
          'the approved call',
          async () => {
            await appendUntilTaken(bus, [requested(wipe)]);
            return seen.approved.has(wipe.id);
          },
          PATIENCE_MS,
        );
      }
    }

    /** True if the approval was taken. False if the ledger is away or being rebuilt. */
    async function approve(deferred: Decision): Promise<boolean> {
      const path = `/v1/approvals/${approvalId(deferred)}/approve`;
      return api.post(path, { reason: 'test' }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && 'status' in error && error.status === 503) return false;
          throw error;
        },
      );
    }
  });
});

/** Expects as many allowed calls in each turn as its limit gives, and that only the right codes refuse. */
function expectTurnsKept(turns: readonly AskedTurn[], { decisions, approved }: FollowedLog): void {
  const codeOf = ({ id }: { id: string }) => decisions.get(id)?.code;
  for (const turn of turns) {
    const { id, prompt, send, notes, wipe, stolen, others } = turn;
    expect([prompt, ...others].map(codeOf), id).toEqual(Array(4).fill('ALLOWED'));
    if (stolen) expect(codeOf(stolen), id).toBe('TURN_UNKNOWN');
    if (wipe) expect(approved.get(wipe.id)?.code, id).toBe('ALLOWED');
    const calls = [send, ...notes].map(codeOf);
    expect(['ALLOWED', 'RATE_LIMIT_EXCEEDED'], id).toContain(calls[0]);
    const allowed = calls.filter((code) => code === 'ALLOWED').length;
    if (wipe === undefined) expect(allowed, id).toBe(CALLS_OF_TURN);
    else expect(notes.map(codeOf), id).toEqual(notes.map(() => 'ALLOWED'));
  }
}

/** Expects that each person was allowed as many calls of `send` as the rate gives, or all if fewer were asked. */
function expectRatesUsed(turns: readonly AskedTurn[], { decisions }: FollowedLog): void {
  let usedUp = 0;
  for (const [person, ofPerson] of Map.groupBy(turns, (turn) => turn.person)) {
    const allowed = ofPerson.filter(({ send }) => decisions.get(send.id)?.code === 'ALLOWED').length;
    expect(allowed, person).toBe(Math.min(ofPerson.length, SENDS_OF_PERSON));
    if (ofPerson.length > SENDS_OF_PERSON) usedUp += 1;
  }
  expect(usedUp).toBeGreaterThan(0);
}
