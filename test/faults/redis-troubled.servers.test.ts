/**
 * Causes faults of a Redis while deciders get actions all the time: lost answers, forgotten scripts, a restart, full
 * memory, a server that is away. The seed decides the order of the faults. In the end the ledger must agree with the
 * log, and no budget may ever have been exceeded.
 */
import { describeWithOwnServers, SEED, seededRandom, startRedis, waitUntil } from '@mandate/testing';
import { test } from 'vitest';
import { mandates, outcome, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { allAtWork, allWaiting } from './support/deciders-at-work.ts';
import { openProxy } from './support/fault-proxies.ts';
import { appendUntilTaken, expectWithin, followLog, isUsedUp } from './support/follow-log.ts';
import { keepAsking } from './support/keep-asking.ts';
import { REDIS_FAULTS } from './support/redis-faults.ts';
import { shuffled } from './support/shuffled.ts';
import { expectWhole, wholePlane } from './support/whole-plane.ts';

const LIMITS = { agentMicros: 1_000_000, tenantMicros: 60_000_000 };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a faulty Redis', () => {
  test(`causes no double charge and no lost charge (SEED=${SEED})`, {
    timeout: 1_800_000,
  }, async () => {
    const random = seededRandom(SEED);
    const server = await startRedis({ appendonly: true });
    const proxy = await openProxy(server.port, 'evalsha');
    const { bus, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      startLedger: async () => server,
      settings: { MANDATE_REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
    });
    const startOne = () => startDecider({ BATCH_RECORDS: '200' });
    const deciders = await Promise.all([startOne(), startOne(), startOne()]);
    const log = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    const asking = keepAsking((from, count) => appendUntilTaken(bus, requests(from, count, random)), {
      decided: () => log.decisions.size,
      ahead: 500,
      perSecond: 1_000,
    });
    const redis = { server, proxy, missed: () => allWaiting(deciders) };

    for (const [, cause] of shuffled(Object.entries(REDIS_FAULTS), random)) {
      await allAtWork(deciders);
      await cause(redis);
    }
    await allAtWork(deciders);
    await waitUntil('the budget of all to be used up', () => isUsedUp(log), PATIENCE_MS);
    await asking.stop();
    await expectWhole(log, asking.asked());
    expectWithin(LIMITS, log);
    await expectLawsHold();
  });
});
