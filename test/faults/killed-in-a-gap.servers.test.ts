/**
 * Kills a decider with SIGKILL at a chosen instruction. Proxies carry its messages to Redis and Kafka. They hold one
 * message, and the process is killed meanwhile. So the decider dies between the ledger's step and the record on the
 * log, or between the record and the committed offset. The seed chooses how many messages pass first. The test then
 * checks on the servers that the process died at that point.
 */
import type { Bus, GroupPosition } from '@mandate/bus';
import { type Decision, GROUPS, TOPICS } from '@mandate/schemas';
import {
  describeWithOwnServers,
  type FaultProxy,
  type HeldMessage,
  IS_LONG,
  redisFraming,
  SEED,
  seededRandom,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import type { Api } from '../e2e/distributed/support/server-plane.ts';
import { mandates, outcome, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { openProxy, PUBLISH, proxyToBroker } from './support/fault-proxies.ts';
import { appendUntilTaken, expectNotExceeded, type FollowedLog, followLog } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

type Proxies = { redis: FaultProxy; kafka: FaultProxy };

/** Matches a Redis call that runs the step script. Does not match calls of other scripts (encode-call.ts). */
const STEP = /evalsha.*"actions":/s;
/** The beginning of a script's answer if the script has done its work. */
const DONE = /^\*\d+\r\n\$2\r\nOK/;
/** Matches a Redis call with a confirmation, and no other call: step.ts. */
const CONFIRM = /evalsha.*"calls":/s;
const COMMIT = /^OffsetCommit .*mandate\.actions/s;

/**
 * The moments between two messages, called gaps. While a proxy holds the listed message, the decider is in the gap.
 */
const GAPS = {
  'between step and publish': [
    ({ redis }: Proxies) => redis.hold('answer', STEP, DONE),
    ({ kafka }: Proxies) => kafka.hold('request', PUBLISH),
  ],
  'between publish and commit': [
    ({ kafka }: Proxies) => kafka.hold('answer', PUBLISH),
    ({ redis }: Proxies) => redis.hold('request', CONFIRM),
    ({ redis }: Proxies) => redis.hold('answer', CONFIRM, DONE),
    ({ kafka }: Proxies) => kafka.hold('request', COMMIT),
  ],
};
type Gap = keyof typeof GAPS;

const KILLS_A_MESSAGE = IS_LONG ? 10 : 1;
const ROUNDS = Array.from({ length: KILLS_A_MESSAGE }, () =>
  Object.entries(GAPS).flatMap(([gap, messages]) =>
    messages.map((holdNext) => ({ gap: gap as Gap, holdNext })),
  ),
).flat();
/** The number of actions before each kill. They make more batches than may pass before the kill. */
const SHARE = 240;
const MOST_LET_THROUGH = 4;
const LIMITS = { agentMicros: 40_000 * ROUNDS.length, tenantMicros: 4_500_000 * ROUNDS.length };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a decider', () => {
  test(`decides once if it is killed at each message between step, publish and commit, ${KILLS_A_MESSAGE} times (SEED=${SEED})`, {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(SEED);
    const broker = proxyToBroker(PUBLISH);
    const { servers, bus, api, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      kafka: { via: broker.via },
      deciders: SMALL_BATCHES,
    });
    const proxies: Proxies = {
      kafka: broker.proxy(),
      redis: await openProxy(servers.redis.port, STEP, redisFraming),
    };
    const throughProxies = {
      MANDATE_KAFKA_BROKERS: servers.kafka.through.join(','),
      MANDATE_REDIS_URL: `redis://127.0.0.1:${proxies.redis.port}`,
    };
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));

    for (const [round, { gap, holdNext }] of ROUNDS.entries()) {
      const letThrough = Math.floor(random() * MOST_LET_THROUGH);
      const victim = await startDecider(throughProxies);
      // The killed decider's record arrives again and changes nothing in the ledger. Only a new record makes a new
      // step, so all old records must be handled first.
      if (gap === 'between step and publish')
        await waitUntil('it to be at the end', () => isAtEnd(bus, seen), PATIENCE_MS);
      const holding = holdAfter(letThrough, () => holdNext(proxies));
      await appendUntilTaken(bus, requests(round * SHARE, SHARE, random));
      await withinPatience(holding);
      await victim.kill('SIGKILL');
      await expectWithinGap(gap, { bus, api, seen });
    }
    await startDecider();
    await expectWhole(seen, ROUNDS.length * SHARE);

    expect(seen.voids()).toBe(0);
    expectNotExceeded(LIMITS, seen);
    await expectLawsHold();
  });
});

async function withinPatience(holding: Promise<void>): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no such message was seen')), PATIENCE_MS).unref();
  });
  await Promise.race([holding, late]);
}

async function isAtEnd(bus: Bus, seen: FollowedLog): Promise<boolean> {
  const ends = await bus.ranges(TOPICS.actions);
  const positions = await bus.positions(GROUPS.decider);
  const isCommitted = ends.every((end) => committed(positions, end) >= end.endOffset);
  return isCommitted && seen.settled.size === seen.outcomes();
}

async function holdAfter(letThrough: number, holdNext: () => Promise<HeldMessage>): Promise<void> {
  for (let through = 0; through < letThrough; through++) (await holdNext()).forward();
  await holdNext();
}

type Unpublished = { unpublished: readonly { source: Decision['source'] }[] };

/**
 * Checks the state in the gap. Between step and publish, the ledger has charged for actions that are not on the log.
 * Between publish and commit, decisions are on the log, and the offsets of their requests are not committed.
 */
async function expectWithinGap(
  gap: Gap,
  { bus, api, seen }: { bus: Bus; api: Api; seen: FollowedLog },
): Promise<void> {
  await seen.caughtUp();
  const onLog = [...seen.decisions.values(), ...seen.settlements.values()].map(({ source }) => source);
  if (gap === 'between step and publish') {
    const { unpublished } = await api.get<Unpublished>('/v1/ledger/unpublished');
    const known = new Set(onLog.map(nameOf));
    expect(unpublished.filter(({ source }) => !known.has(nameOf(source)))).not.toEqual([]);
  } else {
    const positions = await bus.positions(GROUPS.decider);
    expect(onLog.filter((source) => source.offset >= committed(positions, source))).not.toEqual([]);
  }
}

function nameOf({ partition, offset }: Decision['source']): string {
  return `${partition}/${offset}`;
}

function committed(
  positions: readonly GroupPosition[],
  { topic, partition }: Pick<GroupPosition, 'topic' | 'partition'>,
): number {
  const position = positions.find((each) => each.topic === topic && each.partition === partition);
  return position?.nextOffset ?? 0;
}
