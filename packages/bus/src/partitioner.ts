import { keyPartition } from './key-partition.ts';
import type { Outgoing } from './port.ts';

/**
 * Chooses the partition of a record: the partition that the record names, or else the partition of its key. A record
 * without both goes to each partition in turn.
 */
export class Partitioner {
  #last = 0;

  partitionOf({ key, partition }: Outgoing, partitions: number): number {
    if (partition !== undefined) return partition;
    if (key !== null) return keyPartition(key, partitions);
    this.#last = (this.#last + 1) % partitions;
    return this.#last;
  }
}
