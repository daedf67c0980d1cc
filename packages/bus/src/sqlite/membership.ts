import { assign } from '../assignment.ts';
import { fenced } from '../errors.ts';
import { groupChanged } from './changes.ts';
import type { GroupRows, Member } from './group-rows.ts';
import { isGone } from './process-identity.ts';
import type { Partition } from './topics.ts';
import type { Announce, Writer } from './writer.ts';

/** A partition that a member holds. `epoch` fences all earlier members of the partition. */
export type Holding = { partitionId: number; epoch: number; nextOffset: number };

/**
 * The assignment of a member: the partitions that it holds, and the part of them that it must release. Null if the
 * member was expelled.
 */
export type Share = { holds: readonly Holding[]; surplus: readonly Holding[] } | null;

/**
 * The rules of a group, each as one transaction. A partition moves in two steps: a member with too many partitions
 * finishes its work and releases one, then a member with too few claims this partition. Partitions are taken away
 * only from a member that sends no heartbeats, or after the end of its process.
 */
export class Membership {
  readonly #writer: Writer;
  readonly #rows: GroupRows;

  constructor(writer: Writer, rows: GroupRows) {
    this.#writer = writer;
    this.#rows = rows;
  }

  /** Joins a group. The first join of a group also stores where the group starts. */
  join(member: Member, partitions: readonly Partition[], from: 'earliest' | 'latest'): Promise<void> {
    return this.#writer.submit((announce) => {
      for (const { id } of partitions) this.#rows.addPosition(member.group, id, from);
      this.#rows.addMember(member, machineTimeMs());
      this.#changed(member.group, announce);
    });
  }

  /** Changes the member's topics. If the group has expelled the member, the member joins again with these topics. */
  follow({ group, id, topics }: Member, partitions: readonly Partition[]): Promise<void> {
    return this.#writer.submit((announce) => {
      for (const partition of partitions) this.#rows.addPosition(group, partition.id, 'earliest');
      this.#rows.subscribe(group, id, topics);
      this.#changed(group, announce);
    });
  }

  /** Records a heartbeat, expels silent members, and claims free partitions up to this member's share. */
  heartbeat({ group, id }: Member): Promise<Share> {
    return this.#writer.submit((announce) => {
      if (!this.#rows.touch(group, id, machineTimeMs())) return null;
      this.#expelSilent(group, announce);
      const positions = this.#rows.positions(group);
      const target = assign(
        positions.map(({ partitionId, topic, owner }) => ({ partition: partitionId, topic, owner })),
        this.#rows.members(group),
      );
      const holds: Holding[] = [];
      const surplus: Holding[] = [];
      for (const { partitionId, owner, epoch, nextOffset } of positions) {
        const mine = target.get(partitionId) === id;
        if (owner === id) (mine ? holds : surplus).push({ partitionId, epoch, nextOffset });
        else if (owner === null && mine) {
          holds.push({ partitionId, epoch: this.#rows.claim(group, partitionId, id), nextOffset });
        }
      }
      return { holds, surplus };
    });
  }

  release({ group, id }: Member, { partitionId, epoch }: Holding): Promise<void> {
    return this.#writer.submit((announce) => {
      this.#rows.release(group, partitionId, id, epoch);
      this.#changed(group, announce);
    });
  }

  leave({ group, id }: Member): Promise<void> {
    return this.#writer.submit((announce) => {
      this.#rows.removeMember(group, id);
      this.#changed(group, announce);
    });
  }

  /** Moves the group's position. Fails with BUS_FENCED if the member no longer holds the partition. */
  commit(
    { group, id }: Member,
    { partitionId, epoch }: Holding,
    partition: Partition,
    nextOffset: number,
  ): Promise<void> {
    return this.#writer.submit(() => {
      const moved = this.#rows.commit(group, partitionId, id, epoch, nextOffset);
      if (!moved) throw fenced(group, partition.topic, partition.partition);
    });
  }

  /** Records a heartbeat. Fails with BUS_FENCED if the member no longer holds the partition. */
  confirm({ group, id }: Member, { partitionId, epoch }: Holding, partition: Partition): Promise<void> {
    return this.#writer.submit(() => {
      const alive =
        this.#rows.owns(group, partitionId, id, epoch) && this.#rows.touch(group, id, machineTimeMs());
      if (!alive) throw fenced(group, partition.topic, partition.partition);
    });
  }

  generation(group: string): number {
    return this.#rows.generation(group);
  }

  /** Returns the committed positions of the group, by partition id. */
  positions(group: string): ReadonlyMap<number, number> {
    return new Map(
      this.#rows.positions(group).map(({ partitionId, nextOffset }) => [partitionId, nextOffset]),
    );
  }

  /**
   * Expels members. A member of a killed process is expelled at once, and any other member after its session
   * timeout.
   */
  #expelSilent(group: string, announce: Announce): void {
    const gone = this.#rows.members(group).filter(({ process }) => isGone(process));
    const silent = [...this.#rows.silent(group, machineTimeMs()), ...gone.map(({ member }) => member)];
    for (const member of silent) this.#rows.removeMember(group, member);
    if (silent.length > 0) this.#changed(group, announce);
  }

  #changed(group: string, announce: Announce): void {
    this.#rows.bump(group);
    announce(groupChanged(group));
  }
}

/**
 * Returns the time since the machine started. All processes of the machine share this clock, which cannot be set. A
 * correction of the wall clock could make every member look silent. `GroupRows.silent` handles a restart of the
 * machine.
 */
function machineTimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
