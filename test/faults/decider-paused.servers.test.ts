/**
 * A decider is paused while it sends an answer. The other deciders take over its partitions and give the same answer.
 * Then the paused decider continues, and publishes its own answer.
 */
import { describeWithOwnServers, IS_LONG, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { decisionsBy } from '../e2e/distributed/support/server-plane.ts';
import { mandates, outcome, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { heldAtLast, PUBLISH, proxyToBroker } from './support/fault-proxies.ts';
import { appendUntilTaken, expectInOrder, expectNotExceeded, followLog } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const SHARE = 200;
const STOPS = IS_LONG ? 40 : 2;
const MOST_LET_THROUGH = 6;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a decider that is paused', () => {
  test(`beyond its session, ${STOPS} times: its late answers equal those of the others (SEED=${SEED})`, {
    timeout: 1_200_000,
  }, async () => {
    const random = seededRandom(SEED);
    const limits = { agentMicros: 60_000 * STOPS, tenantMicros: 8_000_000 * STOPS };
    const broker = proxyToBroker(PUBLISH);
    const { servers, bus, startDecider, expectLawsHold } = await wholePlane(mandates(limits), {
      kafka: { via: broker.via },
      deciders: SMALL_BATCHES,
    });
    const proxy = broker.proxy();
    const [sleeper] = await Promise.all([
      startDecider({ MANDATE_KAFKA_BROKERS: servers.kafka.through.join(',') }),
      startDecider(),
    ]);
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    let asked = 0;
    const ask = async () => {
      await appendUntilTaken(bus, requests(asked, SHARE, random));
      asked += SHARE;
    };
    const askMore = async () => seen.decisions.size === asked && ask();
    const nextPublish = () => heldAtLast(proxy.hold('request'), askMore);

    for (let stop = 0; stop < STOPS; stop++) {
      for (let through = Math.floor(random() * MOST_LET_THROUGH); through > 0; through--) {
        (await nextPublish()).forward();
      }
      const late = await nextPublish();
      sleeper.process.kill('SIGSTOP');
      // The paused decider cannot answer. So all requests are answered only after others have taken over its
      // partitions.
      await waitUntil('the others to have taken over', () => seen.decisions.size === asked, PATIENCE_MS);
      await ask();
      const repeats = seen.repeats();
      sleeper.process.kill('SIGCONT');
      const decided = await decisionsBy(sleeper);
      late.forward();
      await waitUntil('what it had to say to arrive', () => seen.repeats() > repeats, PATIENCE_MS);
      await waitUntil(
        'it to be at work again',
        async () => {
          await askMore();
          return (await decisionsBy(sleeper)) > decided;
        },
        PATIENCE_MS,
      );
    }
    await expectWhole(seen, asked);
    expectInOrder(seen);
    expectNotExceeded(limits, seen);
    expect(sleeper.process.exitCode).toBe(null);
    await expectLawsHold();
  });
});
