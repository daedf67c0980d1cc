/** Clients of the servers with nothing of Mandate's between: what a bench sets beside it. */
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';

export function plainRedis(url: string, options: { enableAutoPipelining?: boolean } = {}): Redis {
  return new Redis(url, options);
}

export function plainKafka(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], clientId: 'anybody', logLevel: logLevel.NOTHING });
}
