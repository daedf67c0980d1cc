/**
 * Partitions on three brokers change their leaders while gateway and deciders publish. The admin API removes the old
 * leader from the replicas, or a broker ends or is killed. kafkajs may then report that a send succeeded although the
 * records of a partition are lost (its issue 1303). So the test checks the log itself.
 */
import type { Acknowledged } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import {
  byLength,
  describeWithOwnServers,
  IS_LONG,
  type KafkaCluster,
  plainKafka,
  SEED,
  seededRandom,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mandates, outcome, pick, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { appendUntilTaken, expectNotExceeded, followLog, postUntilTaken } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const SHARE = 20;
const MOST_WAITING = 200;
const LIMITS = { agentMicros: 4_000_000, tenantMicros: 200_000_000 };

const MOVES = byLength({ short: 2, full: 4, long: 60 });
const [END, KILL] = ['end', 'kill'] as const;
/** The number of moves that the end of a broker causes. */
const GOING = IS_LONG ? 6 : 1;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'partition leaders that move', () => {
  test(`${MOVES} times during sends, with ${GOING} ending brokers: each acknowledged request is decided once (SEED=${SEED})`, {
    timeout: 1_800_000,
  }, async () => {
    const random = seededRandom(SEED);
    const { servers, bus, api, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      kafka: { brokers: 3 },
      deciders: SMALL_BATCHES,
    });
    await Promise.all([startDecider(), startDecider()]);
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    const acknowledged: (Acknowledged & { id: string })[] = [];
    let [asked, isOver] = [0, false];
    const write = async (publish: (share: ReturnType<typeof requests>) => Promise<unknown>) => {
      while (!isOver) {
        const share = requests(asked, SHARE, random);
        asked += SHARE;
        await publish(share);
        await waitUntil('room for more', () => seen.decisions.size > asked - MOST_WAITING, PATIENCE_MS);
      }
    };
    const writing = Promise.all([
      write(async (share) => {
        const acks = await appendUntilTaken(bus, share);
        acknowledged.push(...acks.map((ack, at) => ({ ...ack, id: idOf(share[at]?.value) })));
      }),
      write((share) =>
        postUntilTaken(
          api,
          share.map(({ value }) => JSON.parse(String(value)).action),
        ),
      ),
    ]);

    const leaders = await leadersOf(servers.kafka);
    for (let move = 0; move < MOVES; move++) {
      const before = seen.decisions.size;
      await leaders.move(pick([TOPICS.actions, TOPICS.decisions], random), random);
      await waitUntil('decisions to fall', () => seen.decisions.size > before + SHARE, PATIENCE_MS);
    }
    for (let gone = 0; gone < GOING; gone++) {
      const node = pick(servers.kafka.nodes, random);
      const before = seen.decisions.size;
      await (pick([END, KILL], random) === END ? node.end() : node.kill());
      await waitUntil(
        'decisions to fall without it',
        () => seen.decisions.size > before + SHARE,
        PATIENCE_MS,
      );
      await node.restart();
    }
    isOver = true;
    await writing;

    await expectWhole(seen, asked);
    expect(leaders.moved()).toBeGreaterThan(0);
    for (const { position, id } of acknowledged) {
      expect(idOf((await bus.at(position))?.value)).toBe(id);
    }
    expectNotExceeded(LIMITS, seen);
    await expectLawsHold();
  });
});

function idOf(value: string | Uint8Array | undefined): string {
  return JSON.parse(value === undefined ? '{}' : Buffer.from(value).toString()).action?.id;
}

/**
 * Moves leaders: removes the old leader from the replicas of its partitions. Afterwards adds it again, after the new
 * leader.
 */
async function leadersOf({ brokers, nodes }: KafkaCluster) {
  const admin = plainKafka(brokers).admin();
  await admin.connect();
  onTestFinished(() => admin.disconnect());
  let moved = 0;
  const leadersIn = async (topic: string) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions ?? [];
  };
  return {
    moved: () => moved,
    async move(topic: string, random: () => number): Promise<void> {
      const before = await leadersIn(topic);
      const others = (leader: number) => nodes.map(({ nodeId }) => nodeId).filter((id) => id !== leader);
      const assign = (replicasOf: (leader: number) => number[]) =>
        admin.alterPartitionReassignments({
          topics: [
            {
              topic,
              partitionAssignment: before.map(({ partitionId: partition, leader }) => ({
                partition,
                replicas: replicasOf(leader),
              })),
            },
          ],
        });
      const turned = random() < 0.5;
      await assign((leader) => (turned ? others(leader).reverse() : others(leader)));
      await waitUntil(
        'leaders to have moved',
        async () => {
          const now = await leadersIn(topic);
          return now.every(({ leader }, at) => leader !== -1 && leader !== before[at]?.leader);
        },
        PATIENCE_MS,
      );
      moved += before.length;
      await assign((leader) => [...(turned ? others(leader).reverse() : others(leader)), leader]);
      await waitUntil(
        'all replicas to be in sync',
        async () => (await leadersIn(topic)).every(({ isr }) => isr.length === nodes.length),
        PATIENCE_MS,
      );
    },
  };
}
