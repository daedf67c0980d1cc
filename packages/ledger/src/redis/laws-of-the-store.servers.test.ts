/** What Redis holds is a fold of the log, and a fold of the log that is loaded into Redis is what it was. */
import { manualClock } from '@mandate/runtime';
import { describeWithOwnServers, startRedis } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { arbitraryHistory, REPLAY_MEMORY_MS } from '../contract/arbitrary-history.ts';
import { budget, planOf, settleRequest, stepRequest } from '../contract/builders.ts';
import { createDriver, type Driver, type Played, play, viewOf } from '../contract/drive.ts';
import type { History } from '../contract/history-command.ts';
import { recordsOf } from '../contract/records.ts';
import { stateOf } from '../contract/state-of.ts';
import { createFold, type Fold, foldRecord } from '../fold/fold.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createState, type LedgerState } from '../memory/state.ts';
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
      replayMemoryMs: state.replayMemoryMs,
    });
    await rebuildFrom(ledger, state, 'epoch-1');
    return { ledger, clock };
  }

  describe('over random histories,', () => {
    test('the fold of what was published is what Redis holds at rest', async () => {
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

    test('a fold that is loaded is what Redis then holds', async () => {
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

    test('a ledger that was loaded goes on as the one that never stopped', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory(25), arbitraryHistory(15), async (before, after) => {
          const { memory, played, driver, latestMs } = await inMemory(before);
          const { ledger, clock } = await loaded(foldOf(played).state, latestMs);
          driver.clock.set(latestMs);
          const again: Driver = { ...driver, ledger, clock, sent: [...driver.sent] };
          for (const command of after.commands) {
            expect(await play(again, command)).toEqual(await play(driver, command));
          }
          expect(await viewOf(ledger)).toEqual(await viewOf(memory));
          await ledger.close();
        }),
        RUNS,
      );
    });
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

  test('amounts are exact up to 2^53-1, however they go in and out', async () => {
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
      expect(own.map(({ spentMicros }) => spentMicros)).toEqual([micros, micros]);
      expect((await ledger.unpublished('acme')).at(-1)?.deltaMicros).toBe(micros);
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
