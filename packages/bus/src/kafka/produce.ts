import { type Appended, acknowledgedIn } from './acknowledgement.ts';
import type { WireMessage } from './client.ts';
import { asking, type Connection } from './connection.ts';
import type { TopicPartition } from './coordinator.ts';
import { leaderOf } from './leader-of.ts';

/**
 * How an append is sent: over which connection, for how long in all, and for how long one request may stay unanswered.
 */
export type Sending = { connection: Connection; withinMs: number; requestTimeoutMs: number };

/** What the broker may wait for its replicas, so that its own answer comes before the client gives up. */
const BROKER_PATIENCE = 0.8;

/** One request to the leader of one partition, sent again as long as that may help: then a record may lie there twice. */
export async function produce(
  { connection, withinMs, requestTimeoutMs }: Sending,
  to: TopicPartition,
  messages: WireMessage[],
): Promise<Appended> {
  const { topic, partition } = to;
  const answer = await asking(
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
