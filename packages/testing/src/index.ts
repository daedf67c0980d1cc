/** @mandate/testing: what tests share. Only tests and the examples may import it, which an architecture test checks. */
export { buildCharged, buildDecision, buildReservation, buildSettlement } from './build-decision.ts';
export { busOfOwnTopics, busWith } from './bus-with.ts';
export { collect } from './collect.ts';
export { arbitraryEpochHistory, type EpochStep, isOvertaken, recordOf, standing } from './epoch-histories.ts';
export { type FaultProxy, type HeldMessage, startFaultProxy } from './fault-proxy/fault-proxy.ts';
export { kafkaFraming, redisFraming } from './fault-proxy/framing.ts';
export { faultsOfAnswers } from './faults-of-answers.ts';
export { matchesByTable } from './matches-by-table.ts';
export { mustAnswerAsDescribed } from './must-answer-as-described.ts';
export { startOtlpReceiver, traceTree, WHOLE_WAY } from './otlp-receiver.ts';
export { plainKafka, plainRedis } from './plain-clients.ts';
export {
  ATTACK,
  byLength,
  hits,
  IS_LONG,
  IS_SHORT,
  runs,
  SEED,
  SOAK_MS,
  TEST_LENGTH,
} from './run-options.ts';
export { seededRandom } from './seeded-random.ts';
export { type Authority, newAuthority } from './servers/certificates.ts';
export { chromiumOptions } from './servers/chromium.ts';
export {
  type ClickHouseOptions,
  type ClickHouseServer,
  startClickHouse,
} from './servers/clickhouse/start-clickhouse.ts';
export { plainProducer } from './servers/kafka/plain-producer.ts';
export { publishWithKcat } from './servers/kafka/publish-with-kcat.ts';
export type { KafkaBroker } from './servers/kafka/start-broker.ts';
export {
  type KafkaCluster,
  type KafkaOptions,
  startKafka,
} from './servers/kafka/start-kafka.ts';
export { installedLighthouse } from './servers/lighthouse.ts';
export { MissingServerError } from './servers/missing-server.ts';
export { promtool } from './servers/promtool.ts';
export { emptyRedis } from './servers/redis/empty-redis.ts';
export { type RedisOptions, type RedisServer, startRedis } from './servers/redis/start-redis.ts';
export { type RedisCluster, startRedisCluster } from './servers/redis/start-redis-cluster.ts';
export { type RedisSentinels, startRedisSentinels } from './servers/redis/start-redis-sentinels.ts';
export {
  describeWithChromium,
  describeWithMovableClock,
  describeWithOwnServers,
  describeWithPromtool,
  describeWithServers,
  sharedServer,
  testWithKcat,
} from './servers/with-servers.ts';
export { type PlaneProcess, spawnMandate, startPlane } from './start-plane.ts';
export { type StartedProcess, startProcess } from './start-process.ts';
export {
  areaOf,
  REQUIRED_SETTINGS,
  SERVICES,
  type ServiceName,
  serviceEnvironment,
  spawnService,
  startService,
  startSharedService,
} from './start-service.ts';
export { temporaryFolder } from './temporary-folder.ts';
export { textOfCsv } from './text-of-csv.ts';
export { waitUntil } from './wait-until.ts';
