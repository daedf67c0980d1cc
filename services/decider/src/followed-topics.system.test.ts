import { join } from 'node:path';
import { createSqliteBus, nextOffset } from '@mandate/bus';
import { MandateError, silentLogger } from '@mandate/runtime';
import { GROUPS, TOPICS, topicOfTenant } from '@mandate/schemas';
import { busWith, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { followedTopics } from './followed-topics.ts';

const log = silentLogger();

test('reads a tenant’s topic as soon as it exists, independently of other topics, and never stops reading it', async () => {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log, partitions: 1 });
  onTestFinished(() => bus.close());
  const append = (tenant: string, value: string) => bus.append(topicOfTenant(tenant), [{ key: null, value }]);
  let looks = 0;
  let isMade = false;
  const withoutLate = busWith(bus, {
    async ranges(topic) {
      if (topic === topicOfTenant('late')) looks += 1;
      if (topic === topicOfTenant('late') && !isMade)
        throw new MandateError('BUS_TOPIC_UNFIT', 'not there', { remedy: '' });
      return bus.ranges(topic);
    },
  });

  let tenants = ['known', 'late'];
  const followed = await followedTopics({
    bus: withoutLate,
    log,
    topics: [TOPICS.actions],
    tenantsWithTopics: () => tenants,
    everyMs: 1,
  });
  expect(followed.all()).toEqual([TOPICS.actions, topicOfTenant('known')]);
  const seen: string[] = [];
  const consumer = await bus.consume({
    group: GROUPS.decider,
    topics: followed.all(),
    from: 'earliest',
    async onBatch({ topic, records, commit }) {
      seen.push(...records.map(({ value }) => `${topic} ${Buffer.from(value)}`));
      for (const record of records.slice(-1)) await commit(nextOffset(record));
    },
  });
  const following = followed.keepFollowing(consumer);
  onTestFinished(async () => {
    following.stop();
    await consumer.stop();
  });
  const reads = (tenant: string, value: string) =>
    waitUntil(`${value} of ${tenant}`, () => seen.includes(`${topicOfTenant(tenant)} ${value}`));

  await append('opened', 'before');
  tenants = [...tenants, 'opened'];
  await reads('opened', 'before');
  await append('late', '1');
  const before = looks;
  await waitUntil('looks for what is missing', () => looks > before + 2);
  isMade = true;
  await reads('late', '1');

  tenants = [];
  await append('opened', 'after');
  await append('known', 'after');
  await reads('opened', 'after');
  await reads('known', 'after');
  expect(new Set(followed.all())).toEqual(
    new Set([TOPICS.actions, ...['known', 'late', 'opened'].map(topicOfTenant)]),
  );
});
