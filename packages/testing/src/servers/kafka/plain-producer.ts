import type { Producer } from 'kafkajs';
import { onTestFinished } from 'vitest';
import { plainKafka } from '../../plain-clients.ts';

/** Whoever has a Kafka client: nothing of Mandate's stands between it and the brokers. Gone with the test. */
export async function plainProducer(brokers: readonly string[]): Promise<Producer> {
  const producer = plainKafka(brokers).producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer;
}
