/**
 * The part of kafkajs 2.2.4 that the bus stands on: its protocol (requests, SASL, TLS) and its view of
 * the cluster, which it calls Broker and Cluster. Its public producer and consumer are left aside, because what they
 * do about failures breaks promises of port.ts:
 *
 * - The consumer answers OFFSET_OUT_OF_RANGE by committing "the earliest" over the group's position. A member that halts
 *   on the gap afterwards halts once; after a restart the jump is history.
 * - `commitOffsets` resolves without a commit while the consumer stops, so a drain would lose what it finished.
 * - One slow partition holds back every partition of the same broker, and heartbeats ride on the fetches.
 * - A response with one partition or one batch that is not well is one error for all of them. What the batches hold
 *   is read here, too (batches/): there is no bound on what one may become, and 200,000 headers take it many minutes.
 * - There is no assign(): a reader would have to join a group, which takes `group.initial.rebalance.delay.ms`
 *   (3 s by default) before the first record. Fetching takes milliseconds (`at` asks for single records).
 *
 * kafkajs has had no release since February 2023 and its version is pinned, so these paths do not move. This is the
 * only file that names them.
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

/** What a broker answers about one partition of a fetch: an error, or batches as they lie on its log. */
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
  /** Filled for the leader alone. */
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
  /** No topics are all of them. */
  offsetFetch(request: {
    groupId: string;
    topics: TopicPartitions<{ partition: number }>[];
  }): Promise<{ responses: TopicPartitions<PartitionOffset>[] }>;
  /** The groups that it positions. */
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
  /** What a request of this kind looks like in the newest version that the broker knows; `connectionPool` sends it. */
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

/** The checksum of a batch, from its attributes on. */
export const crc32c: (bytes: Buffer) => number = require('kafkajs/src/protocol/recordBatch/crc32C');

/** Transactions of foreign producers are seen once they are committed. */
const READ_COMMITTED = 1;
export const TOPIC_RESOURCE = 2;

mendThrottleTimer();
shareConnects();

/** A view of the cluster with connections of its own, and the way to end them at once whatever they wait for. */
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
    // The caller knows best whether and for how long to try again.
    retry: { retries: 0, initialRetryTime: 50, maxRetryTime: 50, factor: 0, multiplier: 1 },
    socketFactory: ({ host, port, ssl, onConnect }: SocketRequest) => {
      const socket = ssl
        ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
        : connectPlain({ host, port }, onConnect);
      socket.setKeepAlive(true, 60_000);
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // It is made a while after it was asked for.
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
 * Joins a group. kafkajs' own call keeps the id that the broker gives out before the join to itself until the join
 * is through, and without it one cannot leave while others still hold the join up: so the two steps are taken apart.
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
/** The newest version that kafkajs can ask in; brokers know it since Kafka 2.3. Its answer is left in pieces. */
const FETCH = {
  versions: ['11'],
  protocol: () => (request: object) => ({
    ...requests.Fetch.protocol({ version: 11 })(request),
    response: { decode: async (bytes: Buffer) => decodeFetched(bytes), parse: async (each: unknown) => each },
  }),
};

/** One fetch from the broker, of whatever it leads: each partition with what there is of it, or with its own error. */
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

/** What is used of kafkajs' own, which has no types: each call reads on behind the last. */
type ResponseDecoder = {
  readInt16(): number;
  readInt32(): number;
  readInt64(): bigint;
  readString(): string;
  readBytes(): Buffer | null;
  readArray<T>(read: () => T): T[];
  forward(bytes: number): void;
};

/** After "Fetch Response (Version: 11)" of Kafka's protocol. */
function decodeFetched(bytes: Buffer): { clientSideThrottleTime: number; partitions: FetchedPartition[] } {
  const decoder: ResponseDecoder = new Decoder(bytes);
  const clientSideThrottleTime = decoder.readInt32();
  const errorCode = decoder.readInt16();
  if (errorCode !== NO_ERROR) throw createErrorFromCode(errorCode);
  // The session, of which there is none.
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
  // The last stable offset, and where the log begins.
  decoder.forward(16);
  const abortedTransactions = decoder.readArray(() => ({
    producerId: decoder.readInt64(),
    firstOffset: Number(decoder.readInt64()),
  }));
  // The replica to be preferred.
  decoder.forward(4);
  const batches = decoder.readBytes() ?? Buffer.alloc(0);
  const error = errorCode === NO_ERROR ? null : createErrorFromCode(errorCode);
  return { topic, partition, error, endOffset, abortedTransactions, batches };
}

/**
 * kafkajs looks for throttled requests by a timer, and starts it with a negative time when nothing is throttled: Node
 * makes that one millisecond and warns, and the timer starts itself again without end. There is nothing to look for while
 * nothing waits.
 */
function mendThrottleTimer(): void {
  const original = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
    if (this.pending.length > 0) original.call(this);
  };
}

/**
 * In kafkajs each request that finds no connection makes one: fifty at once make fifty, of which one is used, and the
 * first of the others that the broker closes for idleness takes that one down.
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
