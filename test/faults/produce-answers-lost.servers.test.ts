/**
 * What a broker answers to those who publish is late, never comes, or is lost with its connection, with other sends under
 * way; and so are the sends themselves. All go over a way to the broker, those of the gateway and of the deciders.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithOwnServers, type Held, IS_LONG, SEED, seededRandom } from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, pick, requests } from './agents-at-work.ts';
import { expectNoDrift, expectWhole, startPlaneToBreak } from './breakable-servers.ts';
import { expectNotExceeded, followLog, postUntilTaken } from './follow-log.ts';
import { waysToBrokers } from './ways.ts';

const FAULTS = IS_LONG ? 120 : 8;
const LONGEST_DELAY_MS = 1_500;
const WRITERS = 4;
const SHARE = 5;
const LIMITS = { agentMicros: 4_000_000, tenantMicros: 200_000_000 };

const PUBLISHED = { actions: /^Produce .*mandate\.actions/s, decisions: /^Produce .*mandate\.decisions/s };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'answers to sends', () => {
  test(`${FAULTS} times late, swallowed or lost: what was acknowledged is decided, once (SEED=${SEED})`, {
    timeout: 1_800_000,
  }, async () => {
    const random = seededRandom(SEED);
    const { via, ways } = waysToBrokers(PUBLISHED.actions);
    const { plane, key, servers, bus, queryApi, startDecider } = await startPlaneToBreak(mandates(LIMITS), {
      via,
    });
    const [way] = ways;
    if (way === undefined) throw new Error('there is no way to the broker');
    const overTheWay = { MANDATE_KAFKA_BROKERS: servers.kafka.through.join(',') };
    const [gateway, ...deciders] = await Promise.all([
      plane.start('gateway', overTheWay),
      startDecider(overTheWay),
      startDecider(overTheWay),
    ]);
    const api = plane.api(gateway.url, key);
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

    const fates: Record<string, (held: Held) => unknown> = {
      late: (held) => sleep(random() * LONGEST_DELAY_MS).then(() => held.pass()),
      swallowed: (held) => held.swallow(),
      lost: (held) => held.cut(),
    };
    let sentAgain = 0;
    for (let fault = 0; fault < FAULTS; fault++) {
      const what = pick(['answer', 'answer', 'request'] as const, random);
      const held = await way.hold(what, pick(Object.values(PUBLISHED), random));
      const fate = pick(Object.keys(fates), random);
      await fates[fate]?.(held);
      if (what === 'answer' && fate !== 'late') sentAgain++;
    }
    isOver = true;
    await writing;

    await expectWhole(seen, asked);
    // What was carried out and not answered was sent again, and lies there twice.
    expect(sentAgain).toBeGreaterThan(0);
    expect(seen.repeats() + seen.duplicates()).toBeGreaterThan(0);
    expectNotExceeded(LIMITS, seen);
    expect([gateway, ...deciders].map(({ process }) => process.exitCode)).toEqual([null, null, null]);
    await expectNoDrift(bus, api, queryApi);
  });
});
