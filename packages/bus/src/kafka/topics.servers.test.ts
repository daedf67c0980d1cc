import { randomUUID } from 'node:crypto';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import { describeWithOwnServers, type KafkaCluster, startKafka } from '@mandate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TOPIC_RESOURCE } from './client.ts';
import { withBusErrors } from './connection.ts';
import { LogUnderTest } from './testing/log-under-test.ts';

describeWithOwnServers(['kafka'], 'topics', () => {
  const PATIENCE_MS = 30_000;
  const DAY_MS = 24 * 60 * 60 * 1_000;

  let cluster: KafkaCluster;
  let log: LogUnderTest;

  beforeAll(async () => {
    cluster = await startKafka();
  });
  afterAll(() => cluster?.stop());
  beforeEach(() => {
    log = new LogUnderTest(cluster.brokers);
  });
  afterEach(() => log.close());

  async function settingsOf(topic: string): Promise<Record<string, string>> {
    const { resources } = await withBusErrors(
      log.connect(),
      async (client) => {
        await client.addMultipleTargetTopics([topic]);
        const broker = await client.findBroker({ nodeId: client.getNodeIds()[0] ?? '' });
        return broker.describeConfigs({
          resources: [{ type: TOPIC_RESOURCE, name: topic, configNames: [] }],
        });
      },
      PATIENCE_MS,
    );
    const entries = resources.flatMap(({ configEntries }) => configEntries);
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
  }

  async function create(topic: string, config: Record<string, string>): Promise<void> {
    await withBusErrors(
      log.connect(),
      async (client) => {
        await client.refreshMetadata();
        const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
        const request = { topic, numPartitions: 1, replicationFactor: 1, configEntries };
        await (await client.findControllerBroker()).createTopics({ topics: [request], timeout: PATIENCE_MS });
      },
      PATIENCE_MS,
    );
  }

  test('creates topics that keep decisions without a limit and requests for seven days, use the broker’s clock, and are never compacted', async () => {
    const bus = await log.open({ minInSyncReplicas: 1 });
    const topics = [TOPICS.actions, topicOfTenant('acme'), TOPICS.decisions, TOPICS.deadLetters];
    const found: Record<string, string>[] = [];
    for (const topic of topics) {
      expect(await bus.ranges(topic)).toHaveLength(4);
      found.push(await settingsOf(topic));
    }
    expect(found.map((settings) => settings['retention.ms'])).toEqual([
      `${7 * DAY_MS}`,
      `${7 * DAY_MS}`,
      '-1',
      '-1',
    ]);
    for (const settings of found) {
      expect(settings).toMatchObject({
        'cleanup.policy': 'delete',
        'message.timestamp.type': 'LogAppendTime',
        'min.insync.replicas': '1',
        'retention.bytes': '-1',
        'unclean.leader.election.enable': 'false',
      });
    }
  });

  test('fails on a missing topic if topics are not created at first use, and creates no topic', async () => {
    const bus = await log.open({ createTopics: false });
    const topic = `missing.${randomUUID()}`;
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(bus.append(topic, [])).rejects.toMatchObject({
        code: 'BUS_TOPIC_UNFIT',
        message: `topic ${topic} does not exist`,
        remedy: expect.stringContaining('infra/kafka'),
      });
    }
  });

  test('names the setting to change if a topic needs more brokers than exist', async () => {
    const bus = await log.open({ replicationFactor: 3 });
    await expect(bus.ranges(`wide.${randomUUID()}`)).rejects.toMatchObject({
      code: 'BUS_TOPIC_UNFIT',
      remedy: expect.stringContaining('MANDATE_KAFKA_REPLICATION_FACTOR'),
    });
  });

  test('returns the ranges of all partitions, including partitions that were just added', async () => {
    const bus = await log.open();
    const topic = `growing.${randomUUID()}`;
    expect(await bus.ranges(topic)).toHaveLength(4);
    await log.addPartitions(topic, 6);
    expect(await bus.ranges(topic)).toHaveLength(6);
  });

  test('finds the topic in all processes that create the topic at the same time', async () => {
    const topic = `together.${randomUUID()}`;
    const clients = await Promise.all([0, 1, 2].map(() => log.open({ createTopics: false })));
    const made = await Promise.all(clients.map((client) => client.makeTopic(topic)));
    expect(made).toContain(true);
    expect(await Promise.all(clients.map((client) => client.makeTopic(topic)))).not.toContain(true);
    for (const ranges of await Promise.all(clients.map((client) => client.ranges(topic)))) {
      expect(ranges).toHaveLength(4);
    }
  });

  const FIT = {
    'message.timestamp.type': 'LogAppendTime',
    'retention.ms': '-1',
    'max.message.bytes': '2097164',
  };

  test.each([
    ['forgets', { ...FIT, 'retention.ms': '604800000' }, 'retention.ms is 604800000 and must be -1'],
    ['compacts', { ...FIT, 'cleanup.policy': 'compact' }, 'cleanup.policy is compact and must be delete'],
    [
      'takes its times from producers',
      { ...FIT, 'message.timestamp.type': 'CreateTime' },
      'message.timestamp.type is CreateTime and must be LogAppendTime',
    ],
    [
      'takes no large record',
      { ...FIT, 'max.message.bytes': '1000' },
      'max.message.bytes is 1000 and must be 2097164',
    ],
  ])('fails on a topic that %s, and names the setting to change', async (_, config, wrong) => {
    const topic = `unfit.${randomUUID()}`;
    await create(topic, config);
    const [setting, value] = [wrong.split(' ').at(0), wrong.split(' ').at(-1)];
    await expect((await log.open()).ranges(topic)).rejects.toMatchObject({
      code: 'BUS_TOPIC_UNFIT',
      message: `topic ${topic}: ${wrong}`,
      remedy: `kafka-configs --alter --topic ${topic} --add-config ${setting}=${value}`,
    });
  });

  test('accepts a topic with more space and longer retention than needed', async () => {
    const topic = topicOfTenant(`t${randomUUID().slice(0, 8)}`);
    await create(topic, { ...FIT, 'retention.ms': '-1', 'max.message.bytes': '4000000' });
    expect(await (await log.open()).ranges(topic)).toHaveLength(1);
  });

  test('creates several new topics at the same time, even if some have no leader yet', async () => {
    const bus = await log.open({ minInSyncReplicas: 1, patienceMs: 10_000 });
    const topics = Array.from({ length: 24 }, () => topicOfTenant(randomUUID()));
    const found = await Promise.all(topics.map((topic) => bus.ranges(topic)));
    expect(found.map((ranges) => ranges.length)).toEqual(topics.map(() => 4));
  });
});
