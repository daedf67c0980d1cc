/**
 * Makes the topics of tenants that write to their own topics, soon after each tenant is opened. Topics of tenants
 * that were opened earlier are made too, because a process may have died before it made them. Any number of processes
 * may do this at once. A tenant stays open even if its topic cannot be made.
 */
import type { Bus } from '@mandate/bus';
import { isMandateError, type Logger, poll } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';

/** How long to wait after a refused topic. A person must fix something first, so an earlier try would not help. */
const REFUSED_MS = 60_000;

type Options = {
  bus: Pick<Bus, 'makeTopic'>;
  log: Logger;
  /** Returns the tenants that are open now and publish to their own topics. */
  directTenants(): Iterable<string>;
  /** How often to look for new topics, in milliseconds. Default 1,000. */
  everyMs?: number;
};

export function makeTenantTopics({ bus, log, directTenants, everyMs = 1_000 }: Options): { stop(): void } {
  const made = new Set<string>();
  /** The time from which a refused topic is tried again, by the name of the topic. */
  const refused = new Map<string, number>();

  async function make(topic: string): Promise<void> {
    try {
      await bus.makeTopic(topic);
      made.add(topic);
    } catch (err) {
      if (!isMandateError(err) || err.retryable) throw err;
      if (!refused.has(topic))
        log.error(
          { err, topic },
          'the topic of a tenant is not as it must be: run `mandate migrate` as a user who may make topics',
        );
      refused.set(topic, performance.now() + REFUSED_MS);
    }
  }

  const look = async () => {
    for (const topic of Array.from(directTenants(), topicOfTenant))
      if (!made.has(topic) && performance.now() >= (refused.get(topic) ?? 0)) await make(topic);
  };
  return poll(everyMs, look, (err) => log.warn({ err }, 'topics of tenants cannot be made; trying again'));
}
