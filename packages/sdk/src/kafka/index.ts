/**
 * @mandate/sdk/kafka: reaches a plane through Kafka. Only this entry loads a Kafka client. It needs `kafkajs` 2.2.4.
 *
 *     const mandate = new Mandate({ mode: 'distributed', redis, audit: [kafkaOutput({ brokers })], … });
 *     const other = new Mandate({ mode: 'plane', kafka: kafkaPlane({ brokers }) });
 */

export type { KafkaOptions } from './kafka-options.ts';
export { kafkaOutput } from './kafka-output.ts';
export { type KafkaPlaneOptions, kafkaPlane } from './kafka-plane.ts';
