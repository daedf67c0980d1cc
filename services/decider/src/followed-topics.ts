/**
 * The topics that a decider reads: those that it was started with, and those that tenants were given since. It never
 * stops reading a topic while it runs, because it cannot know whether the last producer of the topic has stopped.
 */
import type { Bus, Consumer } from '@mandate/bus';
import { isMandateError, type Logger, poll } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';

export type FollowedTopics = {
  /** The topics that are read now. */
  all(): readonly string[];
  /** Also reads topics that appear from now on, until it is stopped. */
  keepFollowing(consumer: Pick<Consumer, 'follow'>): { stop(): void };
};

type Options = {
  bus: Pick<Bus, 'ranges'>;
  log: Logger;
  /** Following fails if one of these topics does not exist. */
  topics: readonly string[];
  /** Tenants that publish to topics of their own now, or once did. */
  tenantsWithTopics(): Iterable<string>;
  /** Default 1,000. */
  everyMs?: number | undefined;
};

/** Finds the topics of tenants that exist now. A tenant's topic that does not exist yet is read once it does. */
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
