/**
 * All that goes wrong with a Redis, one thing after the other in an order drawn from the seed, under deciders that never
 * stop being asked: answers that are lost, scripts that are forgotten, a restart, memory that is full, a server that is
 * away. What it holds in the end is what the log holds, and no budget was exceeded at any moment.
 */
import {
  breakableWay,
  describeWithOwnServers,
  SEED,
  seededRandom,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mandates, outcome } from './agents-at-work.ts';
import { expectWithin, followLog, isUsedUp } from './follow-log.ts';
import { keepAsking } from './keep-asking.ts';
import { REDIS_FAULTS } from './redis-faults.ts';
import { shuffled } from './shuffled.ts';
import { allAtWork, allWaiting, PATIENCE_MS, wholePlane } from './whole-plane.ts';

const LIMITS = { agentMicros: 1_000_000, tenantMicros: 60_000_000 };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a Redis in trouble', () => {
  test(`charges nothing twice and forgets nothing (SEED=${SEED})`, async () => {
    const random = seededRandom(SEED);
    const ways: Awaited<ReturnType<typeof breakableWay>>[] = [];
    const { servers, bus, startDecider, expectLawsHold } = await wholePlane(
      () => startRedis({ appendonly: true }),
      { mandates: mandates(LIMITS) },
      async ({ redis }) => {
        const way = await breakableWay(redis.port, 'evalsha');
        onTestFinished(() => way[Symbol.dispose]());
        ways.push(way);
        return `redis://127.0.0.1:${way.port}`;
      },
    );
    const [way] = ways;
    if (way === undefined) throw new Error('there is no way to Redis');
    const startOne = () => startDecider({ BATCH_RECORDS: '200' });
    const deciders = await Promise.all([startOne(), startOne(), startOne()]);
    const log = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    const asking = keepAsking(bus, random, {
      decided: () => log.decisions.size,
      ahead: 500,
      perSecond: 1_000,
    });
    const redis = { server: servers.redis, way, missed: () => allWaiting(deciders) };

    for (const [, cause] of shuffled(Object.entries(REDIS_FAULTS), random)) {
      await allAtWork(deciders);
      await cause(redis);
    }
    await allAtWork(deciders);
    await waitUntil('the budget of all to be used up', () => isUsedUp(log), PATIENCE_MS);
    await asking.stop();
    await waitUntil('a decision for every action', () => log.decisions.size === asking.asked(), PATIENCE_MS);
    await waitUntil('an end for every outcome', () => log.settled.size === log.outcomes(), PATIENCE_MS);

    expect(log.contradictions).toEqual([]);
    expect(log.deadLetters()).toBe(0);
    expect(log.lostOutcomes()).toEqual([]);
    expectWithin(LIMITS, log);
    await expectLawsHold();
  });
});
