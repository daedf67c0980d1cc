import { setTimeout as pause } from 'node:timers/promises';
import { isMandateError, type Logger } from '@mandate/runtime';
import type { TopicPartition } from './coordinator.ts';
import { type Log, nameOf } from './positions.ts';
import { type Candidate, encodeAssignments } from './protocol.ts';

/** Milliseconds until the leader looks again for a topic that it did not find. */
export const MISSED_MS = 1_000;

export type LeaderAssignment = {
  assignment: ReturnType<typeof encodeAssignments>;
  /** Resolves when the leader finds a partition that is not assigned, or when the signal aborts. */
  untilUnassigned(signal: AbortSignal): Promise<void>;
};

/**
 * Assigns every partition that any member reads. This is the leader's work in a round. Members may read different
 * topics. A topic that the leader does not find is left out: either its broker does not know the topic yet, or the
 * topic was deleted. The members still get the other topics.
 */
export async function assignAsLeader(
  known: readonly Candidate[],
  { log, freshMs, logger }: { log: Pick<Log, 'partitionsOf'>; freshMs: number; logger: Logger },
): Promise<LeaderAssignment> {
  const topics = [...new Set(known.flatMap((each) => each.topics))];
  const missed = new Set<string>();
  const look = async (): Promise<TopicPartition[]> => {
    const found = topics.map((topic) =>
      log.partitionsOf([topic]).catch((error) => {
        if (!isMandateError(error, 'BUS_TOPIC_UNFIT')) throw error;
        if (!missed.has(topic)) logger.warn({ err: error, topic }, 'left out until it is found');
        missed.add(topic);
        return [];
      }),
    );
    return (await Promise.all(found)).flat();
  };
  const partitions = await look();
  const assigned = new Set(partitions.map(nameOf));
  return {
    assignment: encodeAssignments(known, partitions),
    async untilUnassigned(signal) {
      while (!signal.aborted) {
        await pause(missed.size > 0 ? Math.min(MISSED_MS, freshMs) : freshMs, undefined, { signal }).catch(
          () => {},
        );
        const now = await look().catch(() => []);
        if (now.some((partition) => !assigned.has(nameOf(partition)))) return;
      }
    },
  };
}
