/**
 * Retention deletes requests that no decider had read yet. No decider may skip them silently. The partition stops
 * under each decider that gets it, and the decider reports this in log, metrics and readiness. The other partitions
 * continue. After an operator has moved the group's offset as docs/operations.md says, the partition continues too.
 */
import { keyPartition } from '@mandate/bus';
import { agentKey, GROUPS, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, plainKafka, SEED, seededRandom, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mandates, outcome, request, requests } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { appendUntilTaken, followLog } from './support/follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const SHARE = 300;
const [TAKEN, LEFT] = [30, 20];
const LIMITS = { agentMicros: 400_000, tenantMicros: 20_000_000 };
const HALTED = /^mandate_decider_halts_total\{[^}]*code="BUS_OFFSET_LOST"[^}]*\} [1-9]/m;

describeWithOwnServers(
  ['kafka', 'redis', 'clickhouse'],
  'a partition that lost its next requests by retention',
  () => {
    test(`stops and reports it until an operator moves the group, and other partitions continue (SEED=${SEED})`, {
      timeout: 600_000,
    }, async () => {
      const random = seededRandom(SEED);
      const { servers, bus, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
        deciders: SMALL_BATCHES,
      });
      const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
      const partitions = (await bus.ranges(TOPICS.actions)).length;
      const agentId = `agent-${Math.floor(random() * 97)}`;
      const partition = keyPartition(agentKey('default', agentId), partitions);
      const admin = plainKafka(servers.kafka.brokers).admin();
      onTestFinished(() => admin.disconnect());
      const position = async () =>
        (await bus.positions(GROUPS.decider)).find(
          (each) => each.topic === TOPICS.actions && each.partition === partition,
        )?.nextOffset ?? 0;
      const startBoth = () => Promise.all([startDecider(), startDecider()]);
      const ofThePartition = (name: string, count: number) =>
        Array.from({ length: count }, (_, at) => request({ id: `${name}-${at}`, agentId, tool: 'cheap' }));

      const before = await startDecider();
      await appendUntilTaken(bus, requests(0, SHARE, random));
      await expectWhole(seen, SHARE);
      await waitUntil('them to be committed', () => isAtEnd(partition), PATIENCE_MS);
      await before.kill();
      const stood = await position();
      const taken = await bus.append(TOPICS.actions, ofThePartition('taken', TAKEN));
      const keptFrom = (taken[Math.floor(random() * TAKEN)]?.position.offset ?? 0) + 1;
      await admin.connect();
      // kafkajs must know the leaders of the topic before it can delete records, so they are fetched first.
      await admin.fetchTopicOffsets(TOPICS.actions);
      await admin.deleteTopicRecords({
        topic: TOPICS.actions,
        partitions: [{ partition, offset: String(keptFrom) }],
      });
      const left = ofThePartition('left', LEFT);
      await bus.append(TOPICS.actions, left);
      const elsewhere = requests(SHARE, SHARE, random).filter(
        ({ key }) => keyPartition(key ?? '', partitions) !== partition,
      );
      await appendUntilTaken(bus, elsewhere);

      for (let start = 0; start < 2; start++) {
        const deciders = await startBoth();
        const holder = await waitUntil('one of them to halt', () => firstOf(deciders, isHalted), PATIENCE_MS);
        expect(holder.errors()).toMatch(
          /"level":"error".*"code":"BUS_OFFSET_LOST".*"msg":"the partition halts until an operator acts/,
        );
        const ready = await fetch(`${holder.url}/readyz`);
        expect([ready.status, await ready.json()]).toMatchObject([
          200,
          {
            checks: expect.arrayContaining([
              expect.objectContaining({
                name: 'partitions',
                detail: `${TOPICS.actions}/${partition} halted: BUS_OFFSET_LOST`,
              }),
            ]),
          },
        ]);
        await waitUntil(
          'the others to be decided',
          () => seen.decisions.size === SHARE + elsewhere.length,
          PATIENCE_MS,
        );
        await seen.caughtUp();
        expect(seen.decisions.size).toBe(SHARE + elsewhere.length);
        expect(await position()).toBe(stood);
        await Promise.all(deciders.map((decider) => decider.kill()));
      }

      // Does what docs/operations.md says. All deciders are stopped. The offset is then set to the first record that
      // still exists.
      await admin.setOffsets({
        groupId: GROUPS.decider,
        topic: TOPICS.actions,
        partitions: [{ partition, offset: String(keptFrom) }],
      });
      await startDecider();
      const never = taken.filter(({ position }) => position.offset < keptFrom);
      await expectWhole(seen, SHARE + elsewhere.length + TAKEN - never.length + LEFT);
      expect(never.length).toBeGreaterThan(0);
      expect(never.map((_, at) => seen.decisions.has(`taken-${at}`))).not.toContain(true);
      await expectLawsHold();

      async function isAtEnd(of: number): Promise<boolean> {
        const end = (await bus.ranges(TOPICS.actions)).find((range) => range.partition === of);
        return (await position()) === end?.endOffset;
      }
    });
  },
);

async function isHalted({ url }: { url: string }): Promise<boolean> {
  return HALTED.test(await (await fetch(`${url}/metrics`)).text());
}

async function firstOf<T>(all: readonly T[], holds: (each: T) => Promise<boolean>): Promise<T | undefined> {
  for (const each of all) if (await holds(each)) return each;
  return undefined;
}
