/**
 * A producer that is not Mandate's puts hostile records on a Kafka topic, compressed with any codec. None of them may
 * delay the records beside it.
 */
import { createKafkaBus } from '@mandate/bus/kafka';
import { silentLogger } from '@mandate/runtime';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import {
  describeWithOwnServers,
  IS_LONG,
  type KafkaCluster,
  plainProducer,
  startKafka,
} from '@mandate/testing';
import { MOST_BUSY_MS, quietestOf, watchTurns } from '@mandate/testing/busiest-turn';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  asking,
  deadLettersOn,
  decidedOn,
  decideOn,
  mustSurvivePoison,
} from './support/expect-hostile-records.ts';
import { dear } from './support/hostile-records.ts';

const GZIP = 1;

describeWithOwnServers(['kafka'], 'poison on Kafka', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterAll(() => kafka?.stop());

  async function openBus() {
    const bus = await createKafkaBus({
      brokers: kafka.brokers,
      clientId: 'mandate-test',
      log: silentLogger(),
      createTopics: true,
      partitions: 1,
      replicationFactor: 1,
      minInSyncReplicas: 1,
    });
    onTestFinished(() => bus.close());
    return bus;
  }

  test('each hostile record becomes a dead letter or a decision, the records beside it are decided, and the event loop is never blocked for long', async () => {
    const bus = await openBus();
    const producer = await plainProducer(kafka.brokers);
    await bus.ranges(TOPICS.actions);
    await mustSurvivePoison(bus, TOPICS.actions, async (records) => {
      // The records are sent in parts, because Kafka refuses batches above a megabyte.
      for (const some of pieces(records, 500_000))
        await producer.send({ topic: TOPICS.actions, compression: GZIP, messages: some });
    });
  });

  test('a tenant with batches full of the most expensive records delays no other tenant, and loses none of its records', async () => {
    const bus = await openBus();
    const topic = topicOfTenant('acme');
    const producer = await plainProducer(kafka.brokers);
    await bus.ranges(topic);
    const well = new Set<string>();
    let sent = 0;
    const busiestMs = await quietestOf(async (n) => {
      const messages = dear(`tight-${n}`, IS_LONG ? 200 : 100).map((value) => ({ value }));
      sent += messages.length;
      await producer.send({ topic, compression: GZIP, messages });
      await bus.append(topic, [{ key: 'acme/well', value: asking(`behind-${n}`) }]);
      await bus.append(TOPICS.actions, [
        { key: 'other/well', value: asking(`beside-${n}`, 'well', 'other') },
      ]);
      well.add(`behind-${n}`).add(`beside-${n}`);
      const turns = watchTurns();
      const decider = await decideOn(bus, [TOPICS.actions, topic]);
      await decider.caughtUp(AbortSignal.timeout(120_000));
      const busiestMs = turns.busiestMs();
      await decider.stop();
      return busiestMs;
    });
    const decided = await decidedOn(bus);
    expect([...(decided.get('poison') ?? [])].filter((id) => id.startsWith('tight'))).toHaveLength(sent);
    expect([...well].filter((id) => !decided.get('well')?.has(id))).toEqual([]);
    expect([...(await deadLettersOn(bus)).keys()].filter((at) => at.startsWith(topic))).toEqual([]);
    expect(busiestMs).toBeLessThan(MOST_BUSY_MS);
  });
});

/** Splits the values in order into batches of at most `bytes` bytes. A larger value gets its own batch. */
function pieces<T extends { value: Buffer }>(records: readonly T[], bytes: number): T[][] {
  const all: T[][] = [];
  let room = 0;
  for (const record of records) {
    if (room < record.value.length || all.length === 0) {
      all.push([]);
      room = bytes;
    }
    room -= record.value.length;
    all.at(-1)?.push(record);
  }
  return all;
}
