/** Laws: the data in Redis equals a fold of the log, and Redis returns a loaded fold unchanged. */
import { manualClock } from '@mandate/runtime';
import type { StepRequest } from '@mandate/schemas';
import { describeWithOwnServers, startRedis } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { arbitraryHistory, REPLAY_MEMORY_MS } from '../contract/arbitrary-history.ts';
import { DAY_MS } from '../contract/bench.ts';
import { budget, planOf, rate, settleRequest, stepRequest } from '../contract/builders.ts';
import {
  createDriver,
  type Driver,
  loseSome,
  type Played,
  play,
  playBatch,
  questionsOf,
  viewOf,
} from '../contract/drive.ts';
import type { History } from '../contract/history-command.ts';
import { lawOfTurns, type Restart } from '../contract/laws-of-turns.ts';
import { recordsOf } from '../contract/records.ts';
import { stateOf } from '../contract/state-of.ts';
import { createFold, type Fold, foldRecord } from '../fold/fold.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createState, type LedgerState } from '../memory/state.ts';
import type { Ledger, Operation } from '../port.ts';
import { freshLedger, freshNamespace, rebuildFrom, START_MS } from './fresh-ledger.fixture.ts';
import { createRedisLedger, type RedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'the store and the fold', () => {
  const LARGEST = Number.MAX_SAFE_INTEGER;
  const RUNS = { numRuns: 25 };

  let server: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
  });
  afterAll(() => server.stop());

  type Live = { ledger: RedisLedger; driver: Driver; played: Played[] };

  async function live({ plans, commands }: History): Promise<Live> {
    const clock = manualClock(START_MS);
    const ledger = await freshLedger({ url: server.url, clock, replayMemoryMs: REPLAY_MEMORY_MS });
    const driver = createDriver(ledger, clock, plans);
    const played: Played[] = [];
    for (const command of commands) played.push(...(await play(driver, command)));
    await ledger.confirm(ledger.epoch, driver.sent);
    return { ledger, driver, played };
  }

  function foldOf(played: readonly Played[]): Fold {
    const fold = createFold({ replayMemoryMs: REPLAY_MEMORY_MS });
    recordsOf(played, 'epoch-1').forEach(({ record }, offset) => {
      foldRecord(fold, { source: { partition: 0, offset }, record: structuredClone(record) });
    });
    return fold;
  }

  async function loaded(state: LedgerState, atMs: number) {
    const clock = manualClock(atMs);
    const ledger = await createRedisLedger({
      url: server.url,
      clock,
      namespace: freshNamespace(),
    });
    await rebuildFrom(ledger, state, 'epoch-1');
    return { ledger, clock };
  }

  describe('over random histories,', () => {
    test('the fold of the published records equals Redis at rest', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory(30), async (history) => {
          const { ledger, driver, played } = await live(history);
          const { latestMs } = driver;
          expect(stateOf(await ledger.state(), latestMs)).toEqual(stateOf(foldOf(played).state, latestMs));
          await ledger.close();
        }),
        RUNS,
      );
    });

    test('a fold that is loaded into Redis is read back unchanged', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory(40), async (history) => {
          const { played, latestMs } = await inMemory(history);
          const { state } = foldOf(played);
          const { ledger } = await loaded(state, latestMs);
          expect(stateOf(await ledger.state(), latestMs)).toEqual(stateOf(state, latestMs));
          await ledger.close();
        }),
        RUNS,
      );
    });

    test('a loaded ledger continues like a ledger that never stopped', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory(25), arbitraryHistory(15), async (before, after) => {
          const { memory, played, driver, latestMs } = await inMemory(before);
          const { ledger, clock } = await loaded(foldOf(played).state, latestMs);
          driver.clock.set(latestMs);
          const again: Driver = { ...driver, ledger, clock, sent: [...driver.sent] };
          for (const command of after.commands) {
            expect(await play(again, command)).toEqual(await play(driver, command));
          }
          const questions = questionsOf(driver);
          expect(await viewOf(ledger, questions)).toEqual(await viewOf(memory, questions));
          await ledger.close();
        }),
        RUNS,
      );
    });

    test('lost decisions are decided again as in memory, and their settlements on the log still count', async () => {
      const histories = [arbitraryHistory(25), arbitraryHistory(10)] as const;
      await fc.assert(
        fc.asyncProperty(...histories, fc.infiniteStream(fc.boolean()), async (before, after, isLost) => {
          const { played, driver, latestMs } = await inMemory(before);
          const { kept, again } = loseSome(played, isLost);
          const { ledger, clock } = await loaded(foldOf(kept).state, latestMs);
          const { state } = foldOf(kept);
          const memory = createMemoryLedger({ clock, epoch: 'epoch-1', state });
          const one: Driver = { ...driver, ledger, clock, sent: [...driver.sent] };
          const other: Driver = { ...one, ledger: memory, sent: [...driver.sent] };
          expect(await playBatch(ledger, again)).toEqual(await playBatch(memory, again));
          expect(await viewOf(ledger)).toEqual(await viewOf(memory));
          for (const command of after.commands) {
            const atMs = clock();
            const answered = await play(one, command);
            clock.set(atMs);
            expect(answered).toEqual(await play(other, command));
          }
          await Promise.all([ledger, memory].map((each) => each.confirm('epoch-1', one.sent)));
          const held = stateOf(memory.state(), one.latestMs);
          expect(stateOf(await ledger.state(), one.latestMs)).toEqual(held);
          await ledger.close();
        }),
        RUNS,
      );
    });
  });

  describe('lost and loaded again,', () => {
    const restart: Restart = async (clock, epoch, state) => {
      const ledger = await createRedisLedger({ url: server.url, clock, namespace: freshNamespace() });
      await rebuildFrom(ledger, state ?? createState(DAY_MS), epoch);
      return ledger;
    };
    lawOfTurns(restart, RUNS);
  });

  test('windows with many buckets, some of them old, equal the windows in memory', async () => {
    const windowMs = 1_000;
    const act = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('ask'), ms: fc.integer({ min: 1, max: 9 }) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('settle'), back: fc.nat(80), micros: fc.nat(9) }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('credit'), micros: fc.integer({ min: -9, max: 4 }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.integer({ min: 50, max: 900 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 60, maxLength: 120 }),
        fc.boolean(),
        async (acts, credited) => {
          const clock = manualClock(START_MS);
          const memory = createMemoryLedger({ clock, epoch: 'epoch-1', replayMemoryMs: REPLAY_MEMORY_MS });
          const redis = await freshLedger({ url: server.url, clock, replayMemoryMs: REPLAY_MEMORY_MS });
          const limits = [budget({ id: 'w', windowMs, maxMicros: 150 }), rate({ windowMs, maxCalls: 40 })];
          const asked: StepRequest[] = [];
          const sent: Operation[] = [];
          const both = async <T>(ask: (ledger: Ledger) => Promise<T>) =>
            expect(await ask(redis)).toEqual(await ask(memory));
          for (const [at, act] of acts.entries()) {
            if ('ms' in act) clock.advance(act.ms);
            if (act.do === 'ask') {
              const request = stepRequest({ plan: planOf({ reserveMicros: 5, limits }) });
              asked.push(request);
              sent.push(request);
              await both((ledger) => ledger.step([request]));
            } else if (act.do === 'settle') {
              const request = asked.at(-1 - ('back' in act ? act.back : 0));
              if (request === undefined || !('micros' in act)) continue;
              const outcome = settleRequest(request, { actualMicros: act.micros });
              sent.push(outcome);
              await both((ledger) => ledger.step([outcome]));
            } else if ('micros' in act && credited) {
              const order = { id: `credit-${at}`, by: 'operator', reason: 'because', tenant: 'acme' };
              const { scope, subject, id } = budget({ id: 'w' });
              const change = { ...order, budget: { scope, subject, id, windowMs }, delta: act.micros };
              await both((ledger) => ledger.adjust(change));
            }
          }
          await both((ledger) => ledger.balances('acme'));
          await both((ledger) => ledger.unpublished('acme'));
          await Promise.all([memory.confirm('epoch-1', sent), redis.confirm('epoch-1', sent)]);
          const state = await redis.state();
          const again = await loaded(state, clock());
          expect(stateOf(await again.ledger.state(), clock())).toEqual(stateOf(state, clock()));
          expect(await again.ledger.balances('acme')).toEqual(await memory.balances('acme'));
          await Promise.all([again.ledger.close(), redis.close(), memory.close()]);
        },
      ),
      { numRuns: 10 },
    );
  });

  async function inMemory({ plans, commands }: History) {
    const clock = manualClock(START_MS);
    const memory = createMemoryLedger({ clock, epoch: 'epoch-1', replayMemoryMs: REPLAY_MEMORY_MS });
    const driver = createDriver(memory, clock, plans);
    const played: Played[] = [];
    for (const command of commands) played.push(...(await play(driver, command)));
    await memory.confirm('epoch-1', driver.sent);
    return { memory, driver, played, latestMs: driver.latestMs };
  }

  test('amounts are exact up to 2^53-1 for every kind of charge and credit', async () => {
    const { ledger } = await loaded(createState(REPLAY_MEMORY_MS), START_MS);
    onTestFinished(() => ledger.close());
    for (const micros of [
      LARGEST,
      LARGEST - 1,
      LARGEST - 2,
      LARGEST - 47,
      2 ** 52 + 1,
      123_456_789_012_345,
    ]) {
      const agentId = `agent-${micros}`;
      const limits = [
        budget({ subject: agentId, maxMicros: LARGEST }),
        budget({ subject: agentId, id: 'w', windowMs: 60_000 }),
      ];
      const plan = planOf({
        reserveMicros: micros,
        limits: limits.map((limit) => ({ ...limit, maxMicros: null })),
      });
      const request = stepRequest({ agentId, plan });
      const [result] = await ledger.step([request]);
      expect(result).toMatchObject({ facts: { chargedMicros: micros, cumulativeMicros: micros } });
      expect((await ledger.open('acme', agentId)).map(({ reservedMicros }) => reservedMicros)).toEqual([
        micros,
      ]);
      const own = (await ledger.balances('acme')).filter(({ budget: { subject } }) => subject === agentId);
      expect(own.map(({ spent }) => spent)).toEqual([micros, micros]);
      expect((await ledger.unpublished('acme')).at(-1)?.delta).toBe(micros);
      await ledger.confirm(ledger.epoch, [request]);
      const again = await loaded(await ledger.state(), START_MS);
      expect(await again.ledger.balances('acme')).toEqual(await ledger.balances('acme'));
      const outcome = settleRequest(request, { status: 'cancelled' });
      const [settled] = await again.ledger.step([outcome]);
      expect(settled).toMatchObject({ facts: { deltaMicros: -micros, cumulativeMicros: 0 } });
      await again.ledger.close();
    }
  });
});
