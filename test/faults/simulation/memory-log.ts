/**
 * The log in memory: topics, partitions, and groups with members that join and leave. `openLog` gives a process its
 * client, the port of `@mandate/bus`. Each call of the client goes through `LogPorts`, so the owner of the ports
 * chooses when each call takes effect. The log passes the contract tests of the bus (memory-log.test.ts). A test can
 * also cause two faults: a partition moves while its owner works, or a group is reset to the start.
 */
import {
  type Acknowledged,
  type ConsumerOptions,
  keyPartition,
  type LogPosition,
  type LogRecord,
  type Outgoing,
} from '@mandate/bus';
import { fenced, misused, offsetLost } from './log-errors.ts';
import { type Group, type Holding, type Member, targetsOf } from './log-groups.ts';
import { nameOf, parseTopicPartition, type TopicPartition, topicPartitionOf } from './topic-partitions.ts';

/** The bytes at which a batch is full, even with few records. */
const HEAVY_BYTES = 2 * 1024 * 1024;

type Partition = { records: LogRecord[]; startOffset: number; waiting: Set<() => void> };

export type LogOptions = {
  partitionsOf(topic: string): number;
  clock(): number;
  /** If true, an append to several partitions may be on the log in part. False by default. */
  splitsAppends?: boolean;
  onAppend?(record: LogRecord): void;
  onCommit?(group: string, topicPartition: TopicPartition, from: number, to: number): void;
};

export class MemoryLog {
  readonly #options: LogOptions;
  readonly #topics = new Map<string, Partition[]>();
  readonly #groups = new Map<string, Group>();
  #spread = 0;

  constructor(options: LogOptions) {
    this.#options = options;
  }

  /** True if an append to several partitions may be on the log in part. */
  get splitsAppends(): boolean {
    return this.#options.splitsAppends ?? false;
  }

  partitions(topic: string): Partition[] {
    let partitions = this.#topics.get(topic);
    if (partitions === undefined) {
      partitions = Array.from({ length: this.#options.partitionsOf(topic) }, () => ({
        records: [],
        startOffset: 0,
        waiting: new Set(),
      }));
      this.#topics.set(topic, partitions);
    }
    return partitions;
  }

  /** Returns the records of a topic, each partition in its order. */
  records(topic: string): LogRecord[] {
    return this.partitions(topic).flatMap(({ records, startOffset }) => records.slice(startOffset));
  }

  end({ topic, partition }: TopicPartition): number {
    return this.#partition({ topic, partition }).records.length;
  }

  partitionOf(topic: string, { key, partition }: Outgoing): number {
    const count = this.partitions(topic).length;
    if (partition !== undefined && !(partition >= 0 && partition < count))
      throw misused(`${topic} has no partition ${partition}`);
    if (partition !== undefined) return partition;
    return key === null ? this.#spread++ % count : keyPartition(key, count);
  }

  append(topic: string, partition: number, { key, value, headers = {} }: Outgoing): Acknowledged {
    const home = this.#partition({ topic, partition });
    const bytes = typeof value === 'string' ? Buffer.from(value) : Uint8Array.from(value);
    const position = { topic, partition, offset: home.records.length };
    const appendedAtMs = this.#options.clock();
    const record = { position, key, value: bytes, headers, appendedAtMs };
    home.records.push(record);
    this.#options.onAppend?.(record);
    const waiting = [...home.waiting];
    home.waiting.clear();
    for (const wake of waiting) wake();
    return { position, appendedAtMs };
  }

  /** Returns records from offset `from` on. Throws BUS_OFFSET_LOST if the log does not have `from`. */
  read(topicPartition: TopicPartition, from: number, most: number): LogRecord[] {
    const { records, startOffset } = this.#partition(topicPartition);
    if (from < startOffset || from > records.length) throw offsetLost(topicPartition, from);
    const found: LogRecord[] = [];
    let bytes = 0;
    for (const record of records.slice(from, from + most)) {
      found.push(record);
      bytes += record.value.length;
      if (bytes >= HEAVY_BYTES) break;
    }
    return found;
  }

  /** Calls `wake` when the log has a record at offset `from`. */
  waitFor(topicPartition: TopicPartition, from: number, wake: () => void): () => void {
    const { records, waiting } = this.#partition(topicPartition);
    if (records.length > from) wake();
    else waiting.add(wake);
    return () => waiting.delete(wake);
  }

  ranges(topic: string, beforeMs = Number.POSITIVE_INFINITY) {
    return this.partitions(topic).map(({ records, startOffset }, partition) => {
      const later = records.findIndex(({ appendedAtMs }) => appendedAtMs >= beforeMs);
      const endOffset = Math.max(startOffset, later === -1 ? records.length : later);
      return { topic, partition, startOffset, endOffset };
    });
  }

  at({ topic, partition, offset }: LogPosition): LogRecord | null {
    const home = this.partitions(topic)[partition];
    if (home === undefined || offset < home.startOffset) return null;
    return home.records[offset] ?? null;
  }

  expire(topic: string): void {
    for (const partition of this.partitions(topic)) partition.startOffset = partition.records.length;
  }

  positions(prefix: string) {
    return [...this.#groups].flatMap(([group, { positions }]) =>
      [...positions].flatMap(([name, nextOffset]) =>
        group.startsWith(prefix) ? [{ group, ...parseTopicPartition(name), nextOffset }] : [],
      ),
    );
  }

  join(name: string, member: Member, from: ConsumerOptions['from']): void {
    const group = this.#group(name);
    this.#settle(group, member.topics, from);
    group.members.push(member);
    this.#balance(group);
  }

  follow(name: string, member: Member, topics: readonly string[]): void {
    const group = this.#group(name);
    this.#settle(group, topics, 'earliest');
    member.topics = topics;
    this.#balance(group);
  }

  /** Sets the offset where the group begins, for each partition that the group has not read yet. */
  #settle(group: Group, topics: readonly string[], from: ConsumerOptions['from']): void {
    for (const topic of topics) {
      for (const { partition, startOffset, endOffset } of this.ranges(topic)) {
        const topicPartition = nameOf({ topic, partition });
        if (!group.positions.has(topicPartition))
          group.positions.set(topicPartition, from === 'earliest' ? startOffset : endOffset);
      }
    }
  }

  /** Removes a member that left, or was silent for too long. */
  leave(name: string, member: Member): void {
    const group = this.#group(name);
    group.members = group.members.filter((other) => other !== member);
    for (const [topicPartition, holding] of group.holdings)
      if (holding.member === member) group.holdings.delete(topicPartition);
    this.#balance(group);
    member.told();
  }

  /**
   * Returns the partitions that a member owns, and those of them that other members should own. Null if the member
   * was removed.
   */
  standing(name: string, member: Member): { holds: Holding[]; surplus: Holding[] } | null {
    const group = this.#group(name);
    if (!group.members.includes(member)) return null;
    const targets = targetsOf(group);
    const holds = [...group.holdings.values()].filter((holding) => holding.member === member);
    return { holds, surplus: holds.filter((holding) => targets.get(nameOf(holding)) !== member) };
  }

  release(name: string, holding: Holding): void {
    const group = this.#group(name);
    if (group.holdings.get(nameOf(holding)) !== holding) return;
    group.holdings.delete(nameOf(holding));
    this.#balance(group);
  }

  position(name: string, topicPartition: TopicPartition): number {
    return this.#group(name).positions.get(nameOf(topicPartition)) ?? 0;
  }

  commit(name: string, holding: Holding, nextOffset: number): void {
    const group = this.#group(name);
    this.mustHold(name, holding);
    const from = this.position(name, holding);
    if (nextOffset <= from) return;
    group.positions.set(nameOf(holding), nextOffset);
    this.#options.onCommit?.(name, holding, from, nextOffset);
  }

  mustHold(name: string, holding: Holding): void {
    if (this.#group(name).holdings.get(nameOf(holding)) !== holding) throw fenced(name, holding);
  }

  /** Returns the members of a group, so that a fault can choose one. */
  members(name: string): readonly Member[] {
    return this.#group(name).members;
  }

  /**
   * Gives a partition to another member, although its owner still works on it. If there is no other member, the owner
   * gets the partition again.
   */
  move(name: string, topicPartition: TopicPartition): void {
    const group = this.#group(name);
    const owner = group.holdings.get(nameOf(topicPartition))?.member;
    const member = group.members.find((other) => other !== owner) ?? owner;
    if (member === undefined) return;
    group.holdings.set(nameOf(topicPartition), { ...topicPartitionOf(topicPartition), member });
    for (const each of group.members) each.told();
  }

  /** Resets the group to the start, as an operator can with the tools of the log. Everything is delivered again. */
  readAgain(name: string): void {
    const group = this.#group(name);
    for (const topicPartition of group.positions.keys()) group.positions.set(topicPartition, 0);
    for (const [topicPartition, holding] of group.holdings)
      group.holdings.set(topicPartition, { ...holding });
    for (const member of group.members) member.told();
  }

  #balance(group: Group): void {
    for (const [topicPartition, member] of targetsOf(group)) {
      if (!group.holdings.has(topicPartition))
        group.holdings.set(topicPartition, { ...parseTopicPartition(topicPartition), member });
    }
    for (const member of group.members) member.told();
  }

  #group(name: string): Group {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { members: [], holdings: new Map(), positions: new Map() };
      this.#groups.set(name, group);
    }
    return group;
  }

  #partition({ topic, partition }: TopicPartition): Partition {
    const home = this.partitions(topic)[partition];
    if (home === undefined) throw misused(`${topic} has no partition ${partition}`);
    return home;
  }
}
