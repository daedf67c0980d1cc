import { keyPartition } from './key-partition.ts';
import type { Outgoing } from './port.ts';

/** Where records go that do not say so: by their key, and without one to each partition in turn. */
export class Placing {
  #turn = 0;

  placeOf({ key, partition }: Outgoing, partitions: number): number {
    if (partition !== undefined) return partition;
    if (key !== null) return keyPartition(key, partitions);
    this.#turn = (this.#turn + 1) % partitions;
    return this.#turn;
  }
}
