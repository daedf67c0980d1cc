/**
 * The topics that a decider reads: the topics from its start, and later topics of tenants. It never stops reading a
 * topic while it runs, because it cannot know whether the last producer of the topic has stopped.
 */
import type { Bus, Consumer } from '@mandate/bus';
import { isMandateError, type Logger, poll } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';

export type FollowedTopics = {
  /** Returns the topics that are read now. */
  all(): readonly string[];
  /** Adds topics that appear later, until this is stopped. */
  keepFollowing(consumer: Pick<Consumer, 'follow'>): { stop(): void };
};

type Options = {
  bus: Pick<Bus, 'ranges'>;
  log: Logger;
  /** Topics that must exist. If one is missing, following fails. */
  topics: readonly string[];
  /** Returns the tenants that publish to their own topics now, or did earlier. */
  tenantsWithTopics(): Iterable<string>;
  /** How often to look for new topics, in milliseconds. Default 1,000. */
  everyMs?: number | undefined;
};

/** Finds the existing topics of tenants. A tenant's topic that does not exist yet is read as soon as it exists. */
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
