/**
 * The log in memory: topics, partitions, groups with members that come, go and are thrown out. `open` gives a process its
 * client, the port of `@mandate/bus`; each of its calls goes through `LogPorts`, so that whoever owns these owns every
 * moment between a call and its effect. It keeps the contract of the bus (memory-log.test.ts), with two faults more than
 * the real ones have: a partition can be moved while its owner is at work, and a group can be set back to the start.
 */
import {
  type Acknowledged,
  type Batch,
  type Bus,
  type Consumer,
  type ConsumerOptions,
  type Coordinate,
  keyPartition,
  type LogRecord,
  type Outgoing,
  type Reader,
  type ReaderOptions,
} from '@mandate/bus';
import { isMandateError, MandateError } from '@mandate/runtime';

/** A batch is full with these, however few records hold them. */
const HEAVY_BYTES = 2 * 1024 * 1024;

/** How a process reaches the log. */
export type LogPorts = {
  /** Whose members of groups are to be known by it. */
  owner?: unknown;
  /** `effect` happens at some time, all at once; its answer comes later. `what` says what it does. */
  call<T>(what: LogCall, effect: () => T): Promise<T>;
  /** In the process, at some time. */
  post(run: () => void): void;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type LogCall =
  | { do: 'append'; topic: string; partition: number | null; named: boolean; urgent: boolean }
  | { do: 'commit' | 'heartbeat' | 'fetch' | 'look' | 'join' | 'attend' };

type Place = { topic: string; partition: number };
type Partition = { records: LogRecord[]; startOffset: number; waiting: Set<() => void> };
/** `told` has it look at the group. */
type Member = { owner: unknown; topics: readonly string[]; told(): void };
/** Of one member, from its claim to its end: another's, or a later one's of the same member, is another object. */
type Holding = Place & { member: Member };

type Group = { members: Member[]; holdings: Map<string, Holding>; positions: Map<string, number> };

export type LogOptions = {
  partitionsOf(topic: string): number;
  clock(): number;
  /** Where an append of several partitions may be on the log in part. */
  splitsAppends?: boolean;
  onAppend?(record: LogRecord): void;
  onCommit?(group: string, place: Place, from: number, to: number): void;
};

export class MemoryLog {
  readonly #options: LogOptions;
  readonly #topics = new Map<string, Partition[]>();
  readonly #groups = new Map<string, Group>();
  #spread = 0;

  constructor(options: LogOptions) {
    this.#options = options;
  }

  open(ports: LogPorts): Bus {
    return new LogClient(this, ports, this.#options.splitsAppends ?? false).bus();
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

  /** What a topic holds, each partition in its order. */
  records(topic: string): LogRecord[] {
    return this.partitions(topic).flatMap(({ records, startOffset }) => records.slice(startOffset));
  }

  end({ topic, partition }: Place): number {
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
    const coordinate = { topic, partition, offset: home.records.length };
    const appendedAtMs = this.#options.clock();
    const record = { coordinate, key, value: bytes, headers, appendedAtMs };
    home.records.push(record);
    this.#options.onAppend?.(record);
    const waiting = [...home.waiting];
    home.waiting.clear();
    for (const wake of waiting) wake();
    return { coordinate, appendedAtMs };
  }

  /** Throws BUS_OFFSET_LOST where the log does not hold `from`. */
  read(place: Place, from: number, most: number): LogRecord[] {
    const { records, startOffset } = this.#partition(place);
    if (from < startOffset || from > records.length) throw offsetLost(place, from);
    const found: LogRecord[] = [];
    let bytes = 0;
    for (const record of records.slice(from, from + most)) {
      found.push(record);
      bytes += record.value.length;
      if (bytes >= HEAVY_BYTES) break;
    }
    return found;
  }

  /** Calls `wake` when something behind `from` is there. */
  waitFor(place: Place, from: number, wake: () => void): () => void {
    const { records, waiting } = this.#partition(place);
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

  at({ topic, partition, offset }: Coordinate): LogRecord | null {
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
        group.startsWith(prefix) ? [{ group, ...placeNamed(name), nextOffset }] : [],
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

  /** Where the group starts in those of the topics where it has no position. */
  #settle(group: Group, topics: readonly string[], from: ConsumerOptions['from']): void {
    for (const topic of topics) {
      for (const { partition, startOffset, endOffset } of this.ranges(topic)) {
        const place = nameOf({ topic, partition });
        if (!group.positions.has(place))
          group.positions.set(place, from === 'earliest' ? startOffset : endOffset);
      }
    }
  }

  /** Said goodbye, or was silent for too long. */
  leave(name: string, member: Member): void {
    const group = this.#group(name);
    group.members = group.members.filter((other) => other !== member);
    for (const [place, holding] of group.holdings)
      if (holding.member === member) group.holdings.delete(place);
    this.#balance(group);
    member.told();
  }

  /** What a member holds, and what of it others are to have; null once it was thrown out. */
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

  position(name: string, place: Place): number {
    return this.#group(name).positions.get(nameOf(place)) ?? 0;
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

  /** Members of a group, as tasks of a fault name them. */
  members(name: string): readonly Member[] {
    return this.#group(name).members;
  }

  /** Gives a partition to another member, while its owner is at work; the same one holds it anew where there is no other. */
  move(name: string, place: Place): void {
    const group = this.#group(name);
    const owner = group.holdings.get(nameOf(place))?.member;
    const member = group.members.find((other) => other !== owner) ?? owner;
    if (member === undefined) return;
    group.holdings.set(nameOf(place), { ...placeOf(place), member });
    for (const each of group.members) each.told();
  }

  /** As an operator does with the tools of the log: everything is delivered again. */
  readAgain(name: string): void {
    const group = this.#group(name);
    for (const place of group.positions.keys()) group.positions.set(place, 0);
    for (const [place, holding] of group.holdings) group.holdings.set(place, { ...holding });
    for (const member of group.members) member.told();
  }

  #balance(group: Group): void {
    for (const [place, member] of targetsOf(group)) {
      if (!group.holdings.has(place)) group.holdings.set(place, { ...placeNamed(place), member });
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

  #partition({ topic, partition }: Place): Partition {
    const home = this.partitions(topic)[partition];
    if (home === undefined) throw misused(`${topic} has no partition ${partition}`);
    return home;
  }
}

/** Whose each partition should be: an owner keeps what it has, and only what evens out the shares moves. */
function targetsOf({ members, holdings, positions }: Group): Map<string, Member> {
  const target = new Map<string, Member>();
  const load = (member: Member) => [...target.values()].filter((other) => other === member).length;
  const lightest = (place: string) =>
    members
      .filter(({ topics }) => topics.includes(placeNamed(place).topic))
      .reduce<Member | null>((best, each) => (best === null || load(each) < load(best) ? each : best), null);
  const places = [...positions.keys()];
  for (const place of places) {
    const owner = holdings.get(place)?.member;
    if (owner?.topics.includes(placeNamed(place).topic)) target.set(place, owner);
  }
  for (const place of places) {
    const taker = target.has(place) ? null : lightest(place);
    if (taker !== null) target.set(place, taker);
  }
  for (let moved = true; moved; ) {
    moved = false;
    for (const place of places) {
      const owner = target.get(place);
      const taker = lightest(place);
      if (owner === undefined || taker === null || load(owner) - load(taker) < 2) continue;
      target.set(place, taker);
      moved = true;
    }
  }
  return target;
}

/** What one process has open on the log. */
class LogClient {
  readonly #log: MemoryLog;
  readonly #ports: LogPorts;
  readonly #splits: boolean;
  readonly #open = new Set<{ stop(): Promise<void> }>();
  readonly #appending = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;
  #isClosed = false;

  constructor(log: MemoryLog, ports: LogPorts, splits: boolean) {
    this.#log = log;
    this.#ports = ports;
    this.#splits = splits;
  }

  bus(): Bus {
    const log = this.#log;
    const look = async <T>(effect: () => T): Promise<T> => {
      this.#mustBeOpen();
      return this.#ports.call({ do: 'look' }, effect);
    };
    return {
      system: 'kafka',
      append: (topic, records, options) => this.#append(topic, records, options?.urgent ?? false),
      consume: async (options) => {
        const mustBeOpen = () => {
          if (this.#isClosed) throw closed();
        };
        const member = new GroupMember(log, this.#ports, mustBeOpen, options);
        this.#mustBeOpen();
        await this.#ports.call({ do: 'join' }, () => member.join());
        return this.#opened(member);
      },
      read: async (options) => {
        const reader = await look(() => new LogReader(log, this.#ports, options));
        return this.#opened(reader);
      },
      makeTopic: () => look(() => false),
      ranges: (topic, beforeMs) => look(() => log.ranges(topic, beforeMs)),
      positions: (prefix) => look(() => log.positions(prefix)),
      at: (coordinate) => look(() => log.at(coordinate)),
      ping: () => look(() => {}),
      close: () => {
        this.#closing ??= Promise.all([
          ...[...this.#open].map((each) => each.stop()),
          ...[...this.#appending].map((each) => each.catch(() => {})),
        ]).then(() => {
          this.#isClosed = true;
        });
        return this.#closing;
      },
    };
  }

  async #append(
    topic: string,
    records: readonly Outgoing[],
    urgent: boolean,
  ): Promise<readonly Acknowledged[]> {
    this.#mustBeOpen();
    if (records.length === 0) return [];
    const placed = records.map((record) => ({ record, partition: this.#log.partitionOf(topic, record) }));
    const named = records.some(({ partition }) => partition !== undefined);
    const acknowledged = new Map<Outgoing, Acknowledged>();
    const groups = this.#splits
      ? [...Map.groupBy(placed, ({ partition }) => partition)]
      : ([[null, placed]] as const);
    const appending = Promise.all(
      groups.map(([partition, group]) =>
        this.#ports.call({ do: 'append', topic, partition, named, urgent }, () => {
          for (const each of group)
            acknowledged.set(each.record, this.#log.append(topic, each.partition, each.record));
        }),
      ),
    );
    this.#appending.add(appending);
    await appending.finally(() => this.#appending.delete(appending));
    return records.flatMap((record) => acknowledged.get(record) ?? []);
  }

  #opened<T extends { stop(): Promise<void>; finished: Promise<void> }>(part: T): T {
    this.#open.add(part);
    const ended = () => void this.#open.delete(part);
    part.finished.then(ended, ended);
    return part;
  }

  #mustBeOpen(): void {
    if (this.#closing !== null) throw closed();
  }
}

/** A member of a group: looks at the group whenever it is told to, takes and lets go. */
class GroupMember implements Consumer {
  readonly finished: Promise<void>;
  readonly #log: MemoryLog;
  readonly #ports: LogPorts;
  readonly #mustBeOpen: () => void;
  readonly #options: ConsumerOptions;
  readonly #finish = Promise.withResolvers<void>();
  readonly #serving = new Map<Holding, { letGo: AbortController; done: Promise<void> }>();
  /** By place: when what was last served there has ended. */
  readonly #last = new Map<string, Promise<void>>();
  #topics: readonly string[];
  #member: Member;
  #isTold = false;
  #isAttending = false;
  #isStopping = false;
  #ended: Promise<void> | null = null;
  #failure: { error: unknown } | null = null;

  constructor(log: MemoryLog, ports: LogPorts, mustBeOpen: () => void, options: ConsumerOptions) {
    this.#log = log;
    this.#ports = ports;
    this.#mustBeOpen = mustBeOpen;
    this.#options = options;
    this.#topics = options.topics;
    this.#member = this.#introduction();
    this.finished = this.#finish.promise;
    this.finished.catch(() => {});
  }

  join(): void {
    this.#log.join(this.#options.group, this.#member, this.#options.from);
  }

  stop(drainMs = 10_000): Promise<void> {
    this.#ended ??= this.#end(drainMs);
    return this.#ended;
  }

  async lag() {
    this.#mustBeOpen();
    const { group } = this.#options;
    return this.#topics.flatMap((topic) =>
      this.#log.ranges(topic).map(({ partition, endOffset }) => ({
        topic,
        partition,
        lag: endOffset - this.#log.position(group, { topic, partition }),
      })),
    );
  }

  async follow(topics: readonly string[]): Promise<void> {
    this.#mustBeOpen();
    await this.#ports.call({ do: 'attend' }, () => {
      this.#topics = topics;
      this.#log.follow(this.#options.group, this.#member, topics);
    });
  }

  #introduction(): Member {
    const look = () => void this.#attend(member);
    const { owner } = this.#ports;
    const member: Member = { owner, topics: this.#topics, told: () => this.#ports.post(look) };
    return member;
  }

  /** One look at a time: an answer that was held up must not undo what a later one said. */
  async #attend(member: Member): Promise<void> {
    if (member !== this.#member) return;
    this.#isTold = true;
    if (this.#isAttending) return;
    this.#isAttending = true;
    while (this.#isTold && !this.#isStopping) await this.#attendOnce();
    this.#isAttending = false;
  }

  async #attendOnce(): Promise<void> {
    const { group } = this.#options;
    const standing = await this.#ports.call({ do: 'attend' }, () => {
      this.#isTold = false;
      const found = this.#log.standing(group, this.#member);
      if (found !== null || this.#isStopping) return found;
      this.#member = this.#introduction();
      this.join();
      return { holds: [], surplus: [] };
    });
    if (this.#isStopping || standing === null) return;
    for (const [holding, { letGo }] of this.#serving) if (!standing.holds.includes(holding)) letGo.abort();
    for (const holding of standing.surplus) this.#release(holding);
    const fresh = standing.holds.filter((holding) => !this.#serving.has(holding));
    if (fresh.length > 0) this.#take(fresh.filter((holding) => !standing.surplus.includes(holding)));
  }

  #take(fresh: readonly Holding[]): void {
    const before = fresh.map((holding) => this.#last.get(nameOf(holding)));
    const ready = Promise.all(before).then(() => this.#options.onAssigned?.(fresh.map(placeOf)));
    for (const holding of fresh) {
      const letGo = new AbortController();
      const done = ready
        .then(() => this.#serve(holding, letGo.signal))
        .catch((error: unknown) => {
          if (!isMandateError(error, 'BUS_FENCED')) this.#fail(error);
        });
      this.#serving.set(holding, { letGo, done });
      this.#last.set(nameOf(holding), done);
    }
  }

  /** Lets the handler finish what it has in hand before another may take over. */
  #release(holding: Holding): void {
    const serving = this.#serving.get(holding);
    if (serving?.letGo.signal.aborted) return;
    serving?.letGo.abort();
    void Promise.resolve(serving?.done).then(() =>
      this.#ports.call({ do: 'attend' }, () => this.#log.release(this.#options.group, holding)),
    );
  }

  async #serve(holding: Holding, signal: AbortSignal): Promise<void> {
    const { group, maxBatch = 500, onHalted, onBatch } = this.#options;
    for (let pauseMs = 1; !signal.aborted; ) {
      const fetched = await this.#ports.call({ do: 'fetch' }, () => {
        const from = this.#log.position(group, holding);
        try {
          return { from, records: this.#log.read(holding, from, maxBatch), end: this.#log.end(holding) };
        } catch (error) {
          if (onHalted === undefined || !isMandateError(error)) throw error;
          onHalted(placeOf(holding), error);
          return null;
        }
      });
      if (fetched === null || signal.aborted) return;
      const { from, records, end } = fetched;
      if (records.length === 0) {
        await this.#somethingBehind(holding, from, signal);
        continue;
      }
      const batch = this.#batch(holding, records, end, signal);
      await onBatch(batch);
      if (batch.position() > from) pauseMs = 1;
      else {
        pauseMs = Math.min(pauseMs * 2, 1_000);
        await this.#ports.sleep(pauseMs, signal).catch(() => {});
      }
    }
  }

  #somethingBehind(place: Place, from: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#log.waitFor(place, from, () => this.#ports.post(resolve));
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }

  #batch(holding: Holding, records: readonly LogRecord[], endOffset: number, signal: AbortSignal) {
    const { group } = this.#options;
    const first = records[0]?.coordinate.offset ?? 0;
    const afterLast = first + records.length;
    let position = first;
    const batch: Batch & { position(): number } = {
      ...placeOf(holding),
      records,
      endOffset,
      signal,
      position: () => position,
      commit: async (nextOffset) => {
        this.#mustBeOpen();
        if (!Number.isSafeInteger(nextOffset) || nextOffset < first || nextOffset > afterLast)
          throw misused(`commit(${nextOffset}) of a batch of offsets ${first} to ${afterLast - 1}`);
        await this.#ports.call({ do: 'commit' }, () => this.#log.commit(group, holding, nextOffset));
        position = Math.max(position, nextOffset);
      },
      heartbeat: () => this.#ports.call({ do: 'heartbeat' }, () => this.#log.mustHold(group, holding)),
    };
    return batch;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    void this.stop();
  }

  async #end(drainMs: number): Promise<void> {
    this.#isStopping = true;
    for (const { letGo } of this.#serving.values()) letGo.abort();
    const drained = new AbortController();
    await Promise.race([
      Promise.all(this.#last.values()),
      this.#ports.sleep(drainMs, drained.signal).catch(() => {}),
    ]);
    drained.abort();
    await this.#ports.call({ do: 'attend' }, () => this.#log.leave(this.#options.group, this.#member));
    if (this.#failure === null) this.#finish.resolve();
    else this.#finish.reject(this.#failure.error);
  }
}

/** Reads every partition in turn, one call of the handler at a time. */
class LogReader implements Reader {
  readonly caughtUp: Promise<void>;
  readonly finished: Promise<void>;
  readonly #log: MemoryLog;
  readonly #ports: LogPorts;
  readonly #options: ReaderOptions;
  readonly #cursors: (Place & { next: number; endAtStart: number })[];
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();

  constructor(log: MemoryLog, ports: LogPorts, options: ReaderOptions) {
    const { from, topics } = options;
    this.#log = log;
    this.#ports = ports;
    this.#options = options;
    this.#cursors = topics.flatMap((topic) =>
      log.ranges(topic).map(({ partition, startOffset, endOffset }) => {
        const given = typeof from === 'string' ? undefined : from[nameOf({ topic, partition })];
        const next = from === 'latest' ? endOffset : (given ?? startOffset);
        return { topic, partition, next, endAtStart: endOffset };
      }),
    );
    this.caughtUp = this.#caughtUp.promise;
    this.caughtUp.catch(() => {});
    const over = new MandateError('BUS_CLOSED', 'the reader was stopped', { remedy: 'Read again.' });
    this.finished = this.#run().then(
      () => this.#caughtUp.reject(over),
      (error) => {
        this.#caughtUp.reject(error);
        throw error;
      },
    );
    this.finished.catch(() => {});
  }

  positions() {
    return Object.fromEntries(this.#cursors.map((cursor) => [nameOf(cursor), cursor.next]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.finished.catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { maxBatch = 1_000, onRecords } = this.#options;
    while (!signal.aborted) {
      let found = false;
      for (const cursor of this.#cursors) {
        const records = await this.#ports.call({ do: 'fetch' }, () =>
          this.#log.read(cursor, cursor.next, maxBatch),
        );
        if (signal.aborted) return;
        if (records.length === 0) continue;
        found = true;
        await onRecords(records);
        cursor.next += records.length;
      }
      if (this.#cursors.every(({ next, endAtStart }) => next >= endAtStart)) this.#caughtUp.resolve();
      if (!found) await this.#news(signal);
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancels = this.#cursors.map((cursor) =>
        this.#log.waitFor(cursor, cursor.next, () => this.#ports.post(resolve)),
      );
      const over = () => {
        for (const cancel of cancels) cancel();
        resolve();
      };
      if (signal.aborted) over();
      else signal.addEventListener('abort', over);
    });
  }
}

function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}

function placeNamed(name: string): Place {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}

function placeOf({ topic, partition }: Place): Place {
  return { topic, partition };
}

function closed(): MandateError {
  return new MandateError('BUS_CLOSED', 'the log is closed', { remedy: 'Open it anew.' });
}

function misused(message: string): MandateError {
  return new MandateError('BUS_MISUSED', message, { remedy: 'Correct the call.' });
}

function fenced(group: string, place: Place): MandateError {
  const message = `${nameOf(place)} no longer belongs to this member of group ${group}`;
  return new MandateError('BUS_FENCED', message, { remedy: 'Drop what is in hand.' });
}

function offsetLost(place: Place, offset: number): MandateError {
  const message = `${nameOf(place)} does not hold offset ${offset}`;
  return new MandateError('BUS_OFFSET_LOST', message, { remedy: 'Recover it from a backup.' });
}
