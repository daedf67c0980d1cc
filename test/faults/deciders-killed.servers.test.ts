/**
 * Three deciders on Kafka and Redis, two of which are killed with SIGKILL and started again for as long as actions flow
 * and outcomes settle. Afterwards: one first decision for each action, no budget exceeded at any moment, and charges on
 * the log = ledger = audit, to the micro-dollar.
 */
import { TOPICS } from '@mandate/schemas';
import { byLength, describeWithOwnServers, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, requests } from './agents-at-work.ts';
import { PATIENCE_MS } from './breakable-servers.ts';
import { expectWithin, followLog } from './follow-log.ts';
import { expectWhole, wholePlane } from './whole-plane.ts';

const KILLS = byLength({ short: 3, full: 6, long: 40 });
const ACTIONS = KILLS * 1_500;
/** Asked for between one kill and the next. */
const SHARE = ACTIONS / KILLS;
/** The tenant's is used up before the end. */
const LIMITS = { agentMicros: ACTIONS * 120, tenantMicros: ACTIONS * 10_000 };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'three deciders', () => {
  test(`two of them killed ${KILLS} times over ${ACTIONS} actions (SEED=${SEED})`, {
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
