/**
 * @mandate/runtime/settings: settings of a process from its environment. One zod schema describes all settings of a
 * service. A main.ts reads them once and passes plain values on.
 *
 * Promises: a misspelt setting is an error and never becomes a default; a message never contains a secret; `--help`
 * shows every setting. The settings of the backends (Kafka, Redis, ClickHouse, OTLP) are the same in all services.
 */
export { backendsMustFit } from './config/backends/backends-must-fit.ts';
export { type ClickhouseSettings, clickhouseSettings } from './config/backends/clickhouse-settings.ts';
export { type KafkaSettings, kafkaSettings } from './config/backends/kafka-settings.ts';
export { type OtlpSettings, otlpSettings } from './config/backends/otlp-settings.ts';
export { type RedisSettings, redisSettings } from './config/backends/redis-settings.ts';
export { type ConfigRow, describeConfig } from './config/describe-config.ts';
export { loadConfig } from './config/load-config.ts';
export { privacySettings } from './config/privacy-settings.ts';
export { type ConfigPort, otherAreas, serviceConfig } from './config/service-config.ts';
export { hashFields, hashKey, port, redactFields, synchronous } from './config/shared-settings.ts';
