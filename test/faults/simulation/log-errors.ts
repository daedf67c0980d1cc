/** The errors of the bus, as the real logs throw them. */
import { MandateError } from '@mandate/runtime';
import { nameOf, type TopicPartition } from './topic-partitions.ts';

export function closed(): MandateError {
  return new MandateError('BUS_CLOSED', 'the log is closed', { remedy: 'Open it again.' });
}

export function misused(message: string): MandateError {
  return new MandateError('BUS_MISUSED', message, { remedy: 'Correct the call.' });
}

export function fenced(group: string, topicPartition: TopicPartition): MandateError {
  const message = `${nameOf(topicPartition)} no longer belongs to this member of group ${group}`;
  return new MandateError('BUS_FENCED', message, { remedy: 'Drop what is in hand.' });
}

export function offsetLost(topicPartition: TopicPartition, offset: number): MandateError {
  const message = `${nameOf(topicPartition)} does not hold offset ${offset}`;
  return new MandateError('BUS_OFFSET_LOST', message, { remedy: 'Recover it from a backup.' });
}
