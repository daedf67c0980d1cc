/**
 * The topics that a decider reads: those that it was started with, and those of tenants that were given one since. What was
 * read once is read for as long as it runs: who stops reading a topic cannot know that its last producer has stopped.
 */
import type { Bus, Consumer } from '@mandate/bus';
import { isMandateError, type Logger, poll } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';

export type FollowedTopics = {
  /** What is read now. */
  all(): readonly string[];
  /** Reads those too that are there from now on, until stopped. */
  keepFollowing(consumer: Pick<Consumer, 'follow'>): { stop(): void };
};

type Options = {
  bus: Pick<Bus, 'ranges'>;
  log: Logger;
  /** They must be there. */
  topics: readonly string[];
  /** Tenants that publish to topics of their own, or once did, as known when it is asked. */
  tenantsWithTopics(): Iterable<string>;
  /** Default 1,000. */
  everyMs?: number | undefined;
};

/** With what tenants have by now; a topic of theirs that is not there yet is waited for. */
export async function followedTopics(options: Options): Promise<FollowedTopics> {
  const { bus, log, tenantsWithTopics, everyMs = 1_000 } = options;
  const read = new Set(options.topics);
  const missing = new Set<string>();

  async function isThere(topic: string): Promise<boolean> {
    try {
      await bus.ranges(topic);
      return true;
    } catch (err) {
      if (!isMandateError(err, 'BUS_TOPIC_UNFIT')) throw err;
      if (!missing.has(topic)) log.warn({ err, topic }, 'a tenant’s topic cannot be read; looking again');
      missing.add(topic);
      return false;
    }
  }

  async function found(): Promise<string[]> {
    const wanted = Array.from(tenantsWithTopics(), topicOfTenant).filter((topic) => !read.has(topic));
    const areThere = await Promise.all(wanted.map(isThere));
    return wanted.filter((_, at) => areThere[at]);
  }

  for (const topic of await found()) read.add(topic);
  return {
    all: () => [...read],
    keepFollowing(consumer) {
      const look = async () => {
        const topics = await found();
        if (topics.length === 0) return;
        await consumer.follow([...read, ...topics]);
        for (const topic of topics) read.add(topic);
        log.info({ topics }, 'deciding what tenants publish to topics of their own');
      };
      const failed = (err: unknown) =>
        log.warn({ err }, 'topics of tenants cannot be followed; trying again');
      return poll(everyMs, look, failed);
    },
  };
}
