/**
 * The part of kafkajs 2.2.4 that the bus uses: its protocol (requests, SASL, TLS) and its view of the cluster, the
 * classes Broker and Cluster. The bus does not use the public producer and consumer of kafkajs, because their
 * handling of failures breaks promises of port.ts:
 *
 * - On OFFSET_OUT_OF_RANGE, the consumer commits "the earliest" over the group's position. A member that halts at the
 *   gap halts only once. After a restart nothing shows the skipped records.
 * - `commitOffsets` resolves without a commit while the consumer stops, so a drain would lose finished work.
 * - One slow partition delays every partition of the same broker, and heartbeats are only sent between fetches.
 * - One bad partition or batch makes the whole response an error. So this package reads the batches itself, too
 *   (batches/): kafkajs does not limit the size of a batch, and takes many minutes for 200,000 headers.
 * - There is no assign(): a reader would have to join a group, which takes `group.initial.rebalance.delay.ms`
 *   (3 s by default) before the first record. A fetch takes milliseconds (`at` asks for single records).
 *
 * kafkajs has had no release since February 2023 and its version is pinned, so these paths do not change. Only this
 * file imports these paths.
 */
import { createRequire } from 'node:module';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Logger } from '@mandate/runtime';
import { clientLogging, clientLogLevel } from './client-logging.ts';
import {
  DEFAULT_CONNECTION_TIMEOUT_MS,
  DEFAULT_METADATA_AGE_MS,
  DEFAULT_REQUEST_TIMEOUT_MS,
  type KafkaConfig,
} from './kafka-config.ts';

type PartitionMetadata = { partitionId: number; leader: number };
type TopicPartitions<T> = { topic: string; partitions: T[] };
type PartitionOffset = { partition: number; offset: string };

export type WireMessage = {
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, Buffer | string | (Buffer | string)[] | null>;
};

export type AbortedTransaction = { producerId: bigint; firstOffset: number };

/** A broker's response about one partition of a fetch: an error, or batches in the format of the log. */
export type FetchedPartition = {
  topic: string;
  partition: number;
  error: Error | null;
  endOffset: number;
  abortedTransactions: AbortedTransaction[];
  batches: Buffer;
};

export type ProducedPartition = {
  partition: number;
  errorCode: number;
  baseOffset: string;
  logAppendTime: string;
};

export type GroupMemberMetadata = { memberId: string; memberMetadata: Buffer };
export type JoinedGroup = {
  generationId: number;
  leaderId: string;
  memberId: string;
  /** The members of the group. Only the leader gets them. For other members the list is empty. */
  members: GroupMemberMetadata[];
};

export type Broker = {
  metadata(
    topics: string[],
  ): Promise<{ topicMetadata: { topic: string; partitionMetadata: PartitionMetadata[] }[] }>;
  produce(request: {
    acks: -1;
    timeout: number;
    topicData: TopicPartitions<{ partition: number; messages: WireMessage[] }>[];
  }): Promise<{ topics: { topicName: string; partitions: ProducedPartition[] }[] }>;
  heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>;
  syncGroup(request: {
    groupId: string;
    generationId: number;
    memberId: string;
    groupAssignment: { memberId: string; memberAssignment: Buffer }[];
  }): Promise<{ memberAssignment: Buffer }>;
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
  offsetCommit(request: {
    groupId: string;
    groupGenerationId: number;
    memberId: string;
    topics: TopicPartitions<PartitionOffset>[];
  }): Promise<unknown>;
  /** Asks for the committed offsets. Without topics, the request asks for all topics. */
  offsetFetch(request: {
    groupId: string;
    topics: TopicPartitions<{ partition: number }>[];
  }): Promise<{ responses: TopicPartitions<PartitionOffset>[] }>;
  /** Lists the groups that this broker coordinates. */
  listGroups(): Promise<{ groups: { groupId: string }[] }>;
  createTopics(request: {
    topics: {
      topic: string;
      numPartitions: number;
      replicationFactor: number;
      configEntries: { name: string; value: string }[];
    }[];
    timeout: number;
  }): Promise<unknown>;
  describeConfigs(request: { resources: { type: number; name: string; configNames: string[] }[] }): Promise<{
    resources: { resourceName: string; configEntries: { configName: string; configValue: string }[] }[];
  }>;
  deleteTopics(request: { topics: string[]; timeout: number }): Promise<unknown>;
  createPartitions(request: {
    topicPartitions: { topic: string; count: number }[];
    timeout: number;
  }): Promise<unknown>;
  deleteRecords(request: { topics: TopicPartitions<PartitionOffset>[] }): Promise<unknown>;
  /**
   * Returns a function that builds a request of this definition, in the newest version that the broker knows.
   * `connectionPool` sends the request.
   */
  lookupRequest(apiKey: number, definition: unknown): (request: object) => object;
  connectionPool: { send(request: object): Promise<unknown> };
};

export type Cluster = {
  connect(): Promise<void>;
  isConnected(): boolean;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  getNodeIds(): string[];
  findBroker(node: { nodeId: string | number }): Promise<Broker>;
  findControllerBroker(): Promise<Broker>;
  findGroupCoordinatorMetadata(group: {
    groupId: string;
    coordinatorType: 0;
  }): Promise<{ coordinator: { nodeId: number } }>;
  findTopicPartitionMetadata(topic: string): PartitionMetadata[];
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
  fetchTopicsOffset(
    topics: (TopicPartitions<{ partition: number }> &
      ({ fromBeginning: boolean } | { fromTimestamp: number }))[],
  ): Promise<TopicPartitions<PartitionOffset>[]>;
};

const require = createRequire(import.meta.url);
const KafkaJsCluster: new (options: object) => Cluster = require('kafkajs/src/cluster');
const { createLogger } = require('kafkajs/src/loggers');
const NetworkConnection = require('kafkajs/src/network/connection');
const RequestQueue = require('kafkajs/src/network/requestQueue');
const { requests } = require('kafkajs/src/protocol/requests');
const apiKeys: { Fetch: number; JoinGroup: number } = require('kafkajs/src/protocol/requests/apiKeys');
const Decoder = require('kafkajs/src/protocol/decoder');
const { createErrorFromCode } = require('kafkajs/src/protocol/error');

/** Returns the checksum of a batch. The checksum covers all bytes from the attributes to the end. */
export const crc32c: (bytes: Buffer) => number = require('kafkajs/src/protocol/recordBatch/crc32C');

/** The isolation level of a fetch. Records of other producers' transactions are returned only after their commit. */
const READ_COMMITTED = 1;
export const TOPIC_RESOURCE = 2;

fixThrottleTimer();
shareConnects();

/**
 * Returns a view of the cluster with its own connections, and the function `sever`, which closes the connections at
 * once.
 */
export function createCluster(config: KafkaConfig, log: Logger): { cluster: Cluster; sever: () => void } {
  const sockets = new Set<Socket>();
  let isSevered = false;
  const connectionTimeout = config.connectionTimeoutMs ?? DEFAULT_CONNECTION_TIMEOUT_MS;
  const cluster = new KafkaJsCluster({
    logger: createLogger({ level: clientLogLevel(log), logCreator: clientLogging(log) }),
    brokers: [...config.brokers],
    clientId: config.clientId,
    ssl: config.tls === true ? {} : config.tls || undefined,
    sasl: config.sasl,
    connectionTimeout,
    authenticationTimeout: config.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    requestTimeout: config.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    metadataMaxAge: config.metadataAgeMs ?? DEFAULT_METADATA_AGE_MS,
    allowAutoTopicCreation: false,
    isolationLevel: READ_COMMITTED,
    // kafkajs does not retry here, because the caller decides whether to retry and for how long.
    retry: { retries: 0, initialRetryTime: 50, maxRetryTime: 50, factor: 0, multiplier: 1 },
    socketFactory: ({ host, port, ssl, onConnect }: SocketRequest) => {
      const socket = ssl
        ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
        : connectPlain({ host, port }, onConnect);
      socket.setKeepAlive(true, 60_000);
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // kafkajs creates the socket some time after `connect`. If `sever` has run in between, the new socket is closed
      // at once.
      if (isSevered) giveUp(socket);
      return socket;
    },
  });
  return {
    cluster,
    sever: () => {
      isSevered = true;
      for (const socket of sockets) giveUp(socket);
    },
  };
}

function giveUp(socket: Socket): void {
  socket.destroy(new Error('the connection is given up'));
}

type SocketRequest = {
  host: string;
  port: number;
  ssl: Exclude<KafkaConfig['tls'], boolean>;
  onConnect: () => void;
};

/**
 * Joins a group in two steps: the broker first sends the member's id, and then the member joins. kafkajs' own
 * function returns the id only after the join. But a member needs its id to leave while other members delay the join.
 */
export async function joinGroup(
  broker: Broker,
  request: {
    groupId: string;
    memberId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    groupProtocols: { name: string; metadata: Buffer }[];
  },
): Promise<JoinedGroup> {
  const join = broker.lookupRequest(apiKeys.JoinGroup, requests.JoinGroup);
  return (await broker.connectionPool.send(join({ ...request, protocolType: 'consumer' }))) as JoinedGroup;
}

const NO_ERROR = 0;
/**
 * The definition of Fetch in the newest version that kafkajs can send (brokers know it since Kafka 2.3).
 * `decodeFetched` replaces the decoder of kafkajs, and does not decode the batches.
 */
const FETCH = {
  versions: ['11'],
  protocol: () => (request: object) => ({
    ...requests.Fetch.protocol({ version: 11 })(request),
    response: { decode: async (bytes: Buffer) => decodeFetched(bytes), parse: async (each: unknown) => each },
  }),
};

/** Sends one fetch to a broker, for partitions that it leads. Returns the records or the error of each partition. */
export async function fetchPartitions(
  broker: Broker,
  request: {
    maxWaitTime: number;
    minBytes: number;
    maxBytes: number;
    topics: TopicPartitions<{ partition: number; fetchOffset: string; maxBytes: number }>[];
  },
): Promise<FetchedPartition[]> {
  const fetch = broker.lookupRequest(apiKeys.Fetch, FETCH);
  const asked = fetch({ ...request, replicaId: -1, isolationLevel: READ_COMMITTED });
  const { partitions } = (await broker.connectionPool.send(asked)) as { partitions: FetchedPartition[] };
  return partitions;
}

/**
 * The part of kafkajs' own decoder that this file uses. kafkajs has no types for it. Each call continues where the
 * last call ended.
 */
type ResponseDecoder = {
  readInt16(): number;
  readInt32(): number;
  readInt64(): bigint;
  readString(): string;
  readBytes(): Buffer | null;
  readArray<T>(read: () => T): T[];
  forward(bytes: number): void;
};

/** Decodes a response as "Fetch Response (Version: 11)" of Kafka's protocol describes it. */
function decodeFetched(bytes: Buffer): { clientSideThrottleTime: number; partitions: FetchedPartition[] } {
  const decoder: ResponseDecoder = new Decoder(bytes);
  const clientSideThrottleTime = decoder.readInt32();
  const errorCode = decoder.readInt16();
  if (errorCode !== NO_ERROR) throw createErrorFromCode(errorCode);
  // Skips the session id, because Mandate uses no fetch sessions.
  decoder.readInt32();
  const topics = decoder.readArray(() => {
    const topic = decoder.readString();
    return decoder.readArray(() => decodePartition(topic, decoder));
  });
  return { clientSideThrottleTime, partitions: topics.flat() };
}

function decodePartition(topic: string, decoder: ResponseDecoder): FetchedPartition {
  const partition = decoder.readInt32();
  const errorCode = decoder.readInt16();
  const endOffset = Number(decoder.readInt64());
  // Skips the last stable offset and the start of the log.
  decoder.forward(16);
  const abortedTransactions = decoder.readArray(() => ({
    producerId: decoder.readInt64(),
    firstOffset: Number(decoder.readInt64()),
  }));
  // Skips the preferred replica.
  decoder.forward(4);
  const batches = decoder.readBytes() ?? Buffer.alloc(0);
  const error = errorCode === NO_ERROR ? null : createErrorFromCode(errorCode);
  return { topic, partition, error, endOffset, abortedTransactions, batches };
}

/**
 * Stops a timer of kafkajs from restarting without end. kafkajs uses the timer to check for throttled requests. If no
 * request is throttled, kafkajs passes a negative time to the timer, which Node turns into one millisecond with a
 * warning. After the fix the timer starts only while a request waits.
 */
function fixThrottleTimer(): void {
  const original = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
    if (this.pending.length > 0) original.call(this);
  };
}

/**
 * Makes simultaneous requests share one connection. Without the fix, each request without a connection opens its own:
 * fifty requests open fifty connections, and use one of them. When the broker closes an idle connection, kafkajs
 * drops the connection that it uses.
 */
function shareConnects(): void {
  const original = NetworkConnection.prototype.connect;
  const underWay = new WeakMap<object, Promise<boolean>>();
  NetworkConnection.prototype.connect = function (this: object) {
    const connected = underWay.get(this) ?? original.call(this).finally(() => underWay.delete(this));
    underWay.set(this, connected);
    return connected;
  };
}
