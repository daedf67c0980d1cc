/** The topics of the log: each made where it is missing, and compared with what its records need. */
import { type Bus, openLog } from '@mandate/bus';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import { type Finding, finding } from './finding.ts';
import type { MigrateConfig } from './migrate-config.ts';
import { type Notes, takeNotes } from './notes.ts';

/** @param isCheck nothing is made */
export async function* kafkaTopics(config: MigrateConfig, isCheck: boolean): AsyncGenerator<Finding> {
  const notes = takeNotes();
  const bus = await openLog({ ...config, KAFKA_CREATE_TOPICS: false }, { path: '', log: notes.log });
  const foundOf = (topic: string) =>
    finding({ server: 'kafka', what: topic }, () => look(topic, bus, isCheck, notes));
  try {
    const brokers = await finding({ server: 'kafka', what: 'brokers' }, async () => {
      await bus.ping();
      return { state: 'ok', detail: 'they answer' };
    });
    // Each topic would be waited for as long again.
    if (brokers.state !== 'ok') return yield brokers;
    for (const topic of Object.values(TOPICS)) yield await foundOf(topic);
    for (const topic of config.DECIDER_TENANT_TOPICS.map(topicOfTenant)) yield await foundOf(topic);
  } finally {
    await bus.close();
  }
}

async function look(topic: string, bus: Bus, isCheck: boolean, notes: Notes) {
  const isMade = isCheck ? false : await bus.makeTopic(topic);
  const { length } = await bus.ranges(topic);
  const detail = [`${length} partitions`, ...notes.take()].join('; ');
  return { state: isMade ? 'made' : 'ok', detail } as const;
}
