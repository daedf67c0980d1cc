/**
 * @mandate/plane/migrate: what a plane needs on its servers. Each function looks at one server, creates what is
 * missing unless it only checks, and yields a finding for each topic, table or setting.
 */

export { clickhouseTables } from './clickhouse-tables.ts';
export type { Finding } from './finding.ts';
export { kafkaTopics } from './kafka-topics.ts';
export type { MigrateConfig } from './migrate-config.ts';
export { migrateConfig } from './migrate-config.ts';
export { redisServer } from './redis-server.ts';
