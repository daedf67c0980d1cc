/**
 * Three deciders on Kafka and Redis. Two of them are killed with SIGKILL and restarted while actions arrive and
 * outcomes settle. Afterwards each action has one first decision, and no budget was ever exceeded. The charges on the
 * log, in the ledger and in the audit are equal, to the micro-dollar.
 */
import { TOPICS } from '@mandate/schemas';
import { byLength, describeWithOwnServers, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { expectWithin, followLog } from './support/follow-log.ts';
import { expectWhole, wholePlane } from './support/whole-plane.ts';

const KILLS = byLength({ short: 3, full: 6, long: 40 });
const ACTIONS = KILLS * 1_500;
/** The number of actions between two kills. */
const SHARE = ACTIONS / KILLS;
/** The limits. The tenant's budget is small enough to be used up before the end. */
const LIMITS = { agentMicros: ACTIONS * 120, tenantMicros: ACTIONS * 10_000 };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'three deciders', () => {
  test(`decide each of ${ACTIONS} actions once while two of them are killed ${KILLS} times (SEED=${SEED})`, {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(SEED);
    const { bus, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      deciders: { BATCH_RECORDS: '100' },
    });
    const deciders = await Promise.all([startDecider(), startDecider(), startDecider()]);
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));

    for (let kill = 0; kill < KILLS; kill++) {
      const target = seen.decisions.size + Math.floor(random() * SHARE);
      await bus.append(TOPICS.actions, requests(kill * SHARE, SHARE, random));
      await waitUntil('some of them to be decided', () => seen.decisions.size >= target, PATIENCE_MS);
      await deciders[kill % 2]?.kill('SIGKILL');
      deciders[kill % 2] = await startDecider();
    }
    await expectWhole(seen, ACTIONS);
    expect(seen.voids()).toBe(0);
    expectWithin(LIMITS, seen);
    await expectLawsHold();
  });
});
