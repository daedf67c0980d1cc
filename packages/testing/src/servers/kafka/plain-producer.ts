import type { Producer } from 'kafkajs';
import { onTestFinished } from 'vitest';
import { plainKafka } from '../../plain-clients.ts';

/** A producer with a plain Kafka client, without any code of Mandate. It ends with the test. */
export async function plainProducer(brokers: readonly string[]): Promise<Producer> {
  const producer = plainKafka(brokers).producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer;
}
