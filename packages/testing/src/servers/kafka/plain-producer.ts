import { Kafka, logLevel, type Producer } from 'kafkajs';
import { onTestFinished } from 'vitest';

/** Whoever has a Kafka client: nothing of Mandate's stands between it and the brokers. Gone with the test. */
export async function plainProducer(brokers: readonly string[]): Promise<Producer> {
  const kafka = new Kafka({ brokers: [...brokers], clientId: 'anybody', logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer;
}
