import type { Producer } from 'kafkajs';
import { onTestFinished } from 'vitest';
import { plainKafka } from '../../plain-clients.ts';

/** Returns a producer that uses a plain Kafka client and no code of Mandate. It is closed when the test ends. */
export async function plainProducer(brokers: readonly string[]): Promise<Producer> {
  const producer = plainKafka(brokers).producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer;
}
