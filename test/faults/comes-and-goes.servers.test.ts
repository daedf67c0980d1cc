/**
 * A member joins or leaves the deciders' group every two seconds, while actions arrive. Each join and each leave
 * causes a rebalance, because a member leaves only after it got partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@mandate/bus';
import { createKafkaBus } from '@mandate/bus/kafka';
import { silentLogger } from '@mandate/runtime';
import { GROUPS, TOPICS } from '@mandate/schemas';
import {
  byLength,
  describeWithOwnServers,
  type KafkaCluster,
  SEED,
  seededRandom,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mandates, outcome, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { appendUntilTaken, expectInOrder, expectNotExceeded, followLog } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const SHARE = 200;
const CHANGES = byLength({ short: 3, full: 5, long: 150 });
const EVERY_MS = 2_000;
/** If this number of actions are undecided, the test sends no more until some are decided. */
const MOST_WAITING = 400;

describeWithOwnServers(
  ['kafka', 'redis', 'clickhouse'],
  'a group with a member that joins and leaves',
  () => {
    test(`${CHANGES} times, every ${EVERY_MS} ms, under load: decides each request once, in each agent’s order (SEED=${SEED})`, {
      timeout: 1_200_000,
    }, async () => {
      const random = seededRandom(SEED);
      const limits = { agentMicros: 200_000 * CHANGES, tenantMicros: 20_000_000 * CHANGES };
      const { servers, bus, startDecider, expectLawsHold } = await wholePlane(mandates(limits), {
        deciders: SMALL_BATCHES,
      });
      const deciders = await Promise.all([startDecider(), startDecider()]);
      const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
      let [asked, isOver] = [0, false];
      const asking = (async () => {
        for (; !isOver; asked += SHARE) {
          await appendUntilTaken(bus, requests(asked, SHARE, random));
          await waitUntil('room for more', () => seen.decisions.size > asked - MOST_WAITING, PATIENCE_MS);
        }
      })();
      const guest = await anotherMember(servers.kafka);
      for (let change = 0; change < CHANGES; change++) {
        await Promise.all([change % 2 === 0 ? guest.come() : guest.go(), sleep(EVERY_MS)]);
      }
      await guest.go();
      isOver = true;
      await asking;

      await expectWhole(seen, asked);
      expectInOrder(seen);
      expectNotExceeded(limits, seen);
      expect(seen.voids()).toBe(0);
      expect(deciders.map(({ process }) => process.exitCode)).toEqual([null, null]);
      await expectLawsHold();
    });
  },
);

/** Returns a member of the deciders' group that takes partitions and does nothing with them. */
async function anotherMember(kafka: KafkaCluster) {
  const bus: Bus = await createKafkaBus({
    brokers: kafka.brokers,
    clientId: 'guest',
    log: silentLogger(),
  });
  onTestFinished(() => bus.close());
  let batches = 0;
  let member: Awaited<ReturnType<Bus['consume']>> | undefined;
  return {
    /** Resolves when the member has partitions. */
    async come() {
      const before = batches;
      member = await bus.consume({
        group: GROUPS.decider,
        topics: [TOPICS.actions],
        from: 'earliest',
        sessionTimeoutMs: 2_000,
        takesUnreadable: true,
        onBatch: async () => void batches++,
      });
      await waitUntil('the guest to be given some of it', () => batches > before, PATIENCE_MS);
    },
    async go() {
      await member?.stop();
      member = undefined;
    },
  };
}
