/** What spans say of records on the log, in the words of OpenTelemetry's conventions for messaging. */
import type { SpanOptions } from './tracer.ts';

type Coordinate = { topic: string; partition: number; offset: number };

/** Records that are put on the log, so many at once. */
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

/** A record that a member of a group works on, one of so many that it was handed together. */
export function consumed(
  system: string,
  group: string,
  coordinate: Coordinate,
  records: number,
): SpanOptions {
  const { topic, partition, offset } = coordinate;
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
      'mandate.coordinate': `${topic}/${partition}/${offset}`,
    },
  };
}
