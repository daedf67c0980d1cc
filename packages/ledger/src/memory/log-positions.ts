/**
 * Deliveries by their log position, with one map for each partition. The keys are offsets as numbers, because such a
 * map needs half the memory of a map with texts. It stays far below the engine's limit of 2^24 keys. The map of a
 * partition is never removed, because a running step may still add a delivery to it.
 */
import type { LogPosition } from '@mandate/schemas';
import type { Partition } from './remembered.ts';

/** Partitions by topic, then by partition number. */
export type LogPositions = Map<string, Map<number, Partition>>;

export type Position = { readonly log: Partition; readonly offset: number };

export function openPosition(positions: LogPositions, source: LogPosition): Position {
  const log = openPartition(positions, source.topic, source.partition);
  return { log, offset: source.offset };
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

export function sourceOf(position: Position): LogPosition {
  return { topic: position.log.topic, partition: position.log.partition, offset: position.offset };
}
