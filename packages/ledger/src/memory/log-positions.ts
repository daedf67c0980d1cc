/**
 * Deliveries by their position. A map a partition, keyed by the offset as a number where it is one: half the size of
 * a map of texts, and no map ever meets the engine's cap of 2^24 keys in a sane log.
 * A partition stays when its deliveries are forgotten: a step holds the one that it will store its delivery in.
 */
import type { Source } from '@mandate/schemas';
import type { Offset, Partition } from './remembered.ts';

/** By topic, then by partition. */
export type LogPositions = Map<string, Map<number, Partition>>;

export type Position = { readonly log: Partition; readonly offset: Offset };

export function openPosition(positions: LogPositions, source: Source): Position {
  const log = openPartition(positions, source.topic, source.partition);
  const offset = Number(source.offset);
  const isNumber = Number.isSafeInteger(offset) && String(offset) === source.offset;
  return { log, offset: isNumber ? offset : source.offset };
}

export function openPartition(positions: LogPositions, topic: string, partition: number): Partition {
  let partitions = positions.get(topic);
  if (partitions === undefined) {
    partitions = new Map();
    positions.set(topic, partitions);
  }
  let log = partitions.get(partition);
  if (log === undefined) {
    log = { topic, partition, deliveries: new Map(), highest: 0 };
    partitions.set(partition, log);
  }
  return log;
}

export function sourceOf(position: Position): Source {
  return { topic: position.log.topic, partition: position.log.partition, offset: String(position.offset) };
}
