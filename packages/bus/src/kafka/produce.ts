import { type Appended, acknowledgedIn } from './acknowledgement.ts';
import type { WireMessage } from './client.ts';
import { type Connection, withBusErrors } from './connection.ts';
import type { TopicPartition } from './coordinator.ts';
import { leaderOf } from './leader-of.ts';

/**
 * The settings of an append: the connection, the time limit of the whole append, and the time limit of one request.
 */
export type Sending = { connection: Connection; withinMs: number; requestTimeoutMs: number };

/**
 * The share of the request timeout that the broker may wait for its replicas. So the broker answers before the
 * client's timeout.
 */
const BROKER_PATIENCE = 0.8;

/**
 * Sends a request to the leader of one partition, and retries if a retry may help. So the log may contain a record
 * twice.
 */
export async function produce(
  { connection, withinMs, requestTimeoutMs }: Sending,
  to: TopicPartition,
  messages: WireMessage[],
): Promise<Appended> {
  const { topic, partition } = to;
  const answer = await withBusErrors(
    connection,
    async (cluster) => {
      const broker = await leaderOf(cluster, topic, partition);
      return broker.produce({
        acks: -1,
        timeout: requestTimeoutMs * BROKER_PATIENCE,
        topicData: [{ topic, partitions: [{ partition, messages }] }],
      });
    },
    withinMs,
  );
  return acknowledgedIn(answer, to);
}
