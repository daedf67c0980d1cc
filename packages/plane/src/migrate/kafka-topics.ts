/** The topics of the log. Each topic is created if it is missing, and its settings are checked. */
import { type Bus, openLog } from '@mandate/bus';
import { followControl } from '@mandate/control-log';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import { type Finding, finding } from './finding.ts';
import type { MigrateConfig } from './migrate-config.ts';
import { type Notes, takeNotes } from './notes.ts';

/** @param isCheck if true, nothing is created */
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
    // If the brokers do not answer, the topics are not checked, because each would wait equally long.
    if (brokers.state !== 'ok') return yield brokers;
    for (const topic of Object.values(TOPICS)) yield await foundOf(topic);
    const tenants = new Set(config.DECIDER_TENANT_TOPICS);
    const opened = await finding({ server: 'kafka', what: 'tenants with topics of their own' }, async () => {
      for (const tenant of await openedDirectly(bus, notes)) tenants.add(tenant);
      return { state: 'ok', detail: `${tenants.size}` };
    });
    if (opened.state !== 'ok') yield opened;
    for (const tenant of tenants) yield await foundOf(topicOfTenant(tenant));
  } finally {
    await bus.close();
  }
}

/**
 * Returns the tenants that the control topic allows to publish directly. Tenants of the settings are not included.
 */
async function openedDirectly(bus: Bus, { log }: Notes): Promise<string[]> {
  const control = await followControl({ bus, log });
  const tenants = control.directTenants();
  await control.stop();
  return tenants;
}

async function look(topic: string, bus: Bus, isCheck: boolean, notes: Notes) {
  const isMade = isCheck ? false : await bus.makeTopic(topic);
  const { length } = await bus.ranges(topic);
  const detail = [`${length} partitions`, ...notes.take()].join('; ');
  return { state: isMade ? 'made' : 'ok', detail } as const;
}
