/** Attributes of spans for work on records of the log. They follow OpenTelemetry's conventions for messaging. */
import type { SpanOptions } from './tracer.ts';

type LogPosition = { topic: string; partition: number; offset: number };

/** Returns the attributes of one append with `records` records. */
export function produced(system: string, topic: string, records: number): SpanOptions {
  return {
    kind: 'producer',
    attributes: {
      'messaging.system': system,
      'messaging.operation.name': 'append',
      'messaging.operation.type': 'send',
      'messaging.destination.name': topic,
      'messaging.batch.message_count': records,
    },
  };
}

/** Returns the attributes of a group member's work on one record, in a batch of `records`. */
export function consumed(system: string, group: string, position: LogPosition, records: number): SpanOptions {
  const { topic, partition, offset } = position;
  return {
    kind: 'consumer',
    attributes: {
      'messaging.system': system,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': String(partition),
      'messaging.consumer.group.name': group,
      'messaging.batch.message_count': records,
      'mandate.position': `${topic}/${partition}/${offset}`,
    },
  };
}
