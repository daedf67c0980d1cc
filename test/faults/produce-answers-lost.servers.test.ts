/**
 * A broker's answers to producers are late, never arrive, or are lost with their connection, while other sends are in
 * progress. The same happens to the sends themselves, and to the group requests of deciders. All traffic of gateway
 * and deciders goes through a proxy.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  byLength,
  describeWithOwnServers,
  type HeldMessage,
  SEED,
  seededRandom,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, pick, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { PUBLISH, proxyToBroker } from './support/fault-proxies.ts';
import { expectNotExceeded, followLog, postUntilTaken } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const FAULTS = byLength({ short: 4, full: 8, long: 120 });
const LONGEST_DELAY_MS = 1_500;
const WRITERS = 4;
const SHARE = 5;
const LIMITS = { agentMicros: 4_000_000, tenantMicros: 200_000_000 };

const REQUESTS = /^Produce .*mandate\.actions/s;
const OF_THE_GROUP = /^(Fetch|OffsetCommit|Heartbeat) /;

/** The possible faults: the answer is delayed, dropped, or lost with its connection. */
const FATES: ((held: HeldMessage, random: () => number) => unknown)[] = [
  (held, random) => sleep(random() * LONGEST_DELAY_MS).then(() => held.forward()),
  (held) => held.drop(),
  (held) => held.cut(),
];

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a broker’s answers to producers', () => {
  test(`${FAULTS} times late, dropped or lost: each acknowledged request is decided once (SEED=${SEED})`, {
    timeout: 1_800_000,
  }, async () => {
    const random = seededRandom(SEED);
    const broker = proxyToBroker(OF_THE_GROUP);
    const { servers, bus, apiOf, startGateway, startDecider, expectLawsHold } = await wholePlane(
      mandates(LIMITS),
      { kafka: { via: broker.via }, deciders: SMALL_BATCHES },
    );
    const proxy = broker.proxy();
    const throughProxy = { MANDATE_KAFKA_BROKERS: servers.kafka.through.join(',') };
    const [gateway, ...deciders] = await Promise.all([
      startGateway(throughProxy),
      startDecider(throughProxy),
      startDecider(throughProxy),
    ]);
    const api = apiOf(gateway);
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    let [asked, isOver] = [0, false];
    const write = async () => {
      while (!isOver) {
        const share = requests(asked, SHARE, random);
        asked += SHARE;
        await postUntilTaken(
          api,
          share.map(({ value }) => JSON.parse(String(value)).action),
        );
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, write));

    // The effect of these first two faults is certain. A send has succeeded, but its answer is dropped, so it is
    // repeated. So the log has its records twice.
    (await proxy.hold('answer', REQUESTS)).drop();
    const unanswered = await proxy.hold('answer', PUBLISH);
    const repeats = seen.repeats();
    unanswered.drop();
    await waitUntil('decisions to come twice', () => seen.repeats() > repeats, PATIENCE_MS);
    for (let fault = 2; fault < FAULTS; fault++) {
      const what = pick(['answer', 'answer', 'request'] as const, random);
      const held = await proxy.hold(what, pick([REQUESTS, REQUESTS, PUBLISH, PUBLISH, OF_THE_GROUP], random));
      await pick(FATES, random)(held, random);
    }
    isOver = true;
    await writing;

    await expectWhole(seen, asked);
    expect(seen.duplicates()).toBeGreaterThan(0);
    expectNotExceeded(LIMITS, seen);
    expect([gateway, ...deciders].map(({ process }) => process.exitCode)).toEqual([null, null, null]);
    await expectLawsHold();
  });
});
