/** The topics of the log: each made where it is missing, and compared with what its records need. */
import { type Bus, openLog } from '@mandate/bus';
import { isMandateError } from '@mandate/runtime';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import { type Finding, finding } from './finding.ts';
import type { MigrateConfig } from './migrate-config.ts';
import { type Notes, takeNotes } from './notes.ts';

/** @param isCheck nothing is made */
export async function* kafkaTopics(config: MigrateConfig, isCheck: boolean): AsyncGenerator<Finding> {
  const notes = takeNotes();
  const opened = (makes: boolean) =>
    openLog({ ...config, KAFKA_CREATE_TOPICS: makes }, { path: '', log: notes.log });
  // Two, for the log of a service that may make topics does not tell which it made.
  const asItIs = await opened(false);
  const making = await opened(true);
  try {
    const brokers = await finding({ server: 'kafka', what: 'brokers' }, async () => {
      await asItIs.ping();
      return { state: 'ok', detail: 'they answer' };
    });
    // Each topic would be waited for as long again.
    if (brokers.state !== 'ok') return yield brokers;
    const topics = [...Object.values(TOPICS), ...config.DECIDER_TENANT_TOPICS.map(topicOfTenant)];
    for (const topic of topics) {
      yield await finding({ server: 'kafka', what: topic }, () =>
        look(topic, asItIs, isCheck ? null : making, notes),
      );
    }
  } finally {
    await Promise.all([asItIs.close(), making.close()]);
  }
}

async function look(topic: string, asItIs: Bus, making: Bus | null, notes: Notes) {
  const described = async (bus: Bus) => {
    const { length } = await bus.ranges(topic);
    return [`${length} partitions`, ...notes.take()].join('; ');
  };
  try {
    return { state: 'ok', detail: await described(asItIs) } as const;
  } catch (error) {
    if (making === null || !isMandateError(error, 'BUS_TOPIC_UNFIT')) throw error;
    return { state: 'made', detail: await described(making) } as const;
  }
}
