/** The option with which plane mode reaches a plane through Kafka. */
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import type { OpenThroughKafka } from '../plane/plane-options.ts';
import { type KafkaOptions, kafkaSettings } from './kafka-options.ts';
import { logPoint } from './log-point.ts';

export type KafkaPlaneOptions = KafkaOptions & {
  /** True: publishes to the tenant's own topic, and not to the topic of all tenants. Default: false. */
  ownTopic?: boolean;
};

/**
 * Reaches a plane through Kafka: `new Mandate({ mode: 'plane', kafka: kafkaPlane({ brokers }) })`. Kills, answers to
 * questions, costs and waiting for a person need the gateway. These functions throw. Close the instance at the end,
 * because its connections keep the process alive.
 *
 * @throws MandateError SDK_MISUSED
 */
export function kafkaPlane(options: KafkaPlaneOptions): OpenThroughKafka {
  const settings = kafkaSettings(options);
  const topic = options.ownTopic === true ? topicOfTenant(settings.tenant) : TOPICS.actions;
  return (opening) => logPoint({ ...settings, topic }, opening);
}
