/** Clients of the servers without any code of Mandate. Benches compare Mandate with these clients. */
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';

export function plainRedis(url: string, options: { enableAutoPipelining?: boolean } = {}): Redis {
  return new Redis(url, options);
}

export function plainKafka(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], clientId: 'anybody', logLevel: logLevel.NOTHING });
}
